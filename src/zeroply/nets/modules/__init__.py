"""The torch modules of the architectures, one file for each family; what a spec may say is in `nets.architectures`."""
