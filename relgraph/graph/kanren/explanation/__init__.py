"""Why a law does not match somewhere, or how it does."""
