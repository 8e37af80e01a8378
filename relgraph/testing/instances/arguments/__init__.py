"""What is drawn for the arguments of ops that take more than tensors of one shape."""
