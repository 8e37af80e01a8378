"""Functions of matrices: most are compositions of ops that there are for tensors of any rank."""
