"""Functions of ``scipy.special`` that JAX has not, on its arrays: a room for each subject."""
