"""Parts of tensors: what stands between brackets, and the ops that take parts and set them."""
