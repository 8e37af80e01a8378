"""What is drawn at random: types, values, expressions and graphs."""
