foretrace --version
