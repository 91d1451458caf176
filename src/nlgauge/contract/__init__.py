"""What every metric is: its parameters, what it asks of a model, and what it gives."""
