foretrace replya
