foretrace --help
