"""What laws about tensors are written with. There is no op here."""
