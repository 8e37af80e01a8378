"""What a law is written with: logic variables and terms, and graphs built from them."""
