"""What optimizers note down about their work, and how it is shown."""
