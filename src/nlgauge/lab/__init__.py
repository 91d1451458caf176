"""For those who make or study metrics: training, studies, reproduction of papers. Nothing else imports it."""
