"""The laboratory of nlgauge: training, studies, reproduction of papers, and the metrics that only these need."""
