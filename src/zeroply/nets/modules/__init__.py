"""The torch modules of the architectures, one file per family; `nets.architectures` declares their options."""
