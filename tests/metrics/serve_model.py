"""A server of llama.cpp with a small model: `python serve_model.py MODEL.gguf PORT`, until it is ended."""

from __future__ import annotations

import sys
import threading

import xllamacpp


def main() -> None:
    """Serve the model at 127.0.0.1, a request at a time: of several at once the numbers depend on each other."""
    settings = xllamacpp.CommonParams()
    settings.model.path, settings.model_alias = sys.argv[1], {"smollm2"}
    settings.port = int(sys.argv[2])
    settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = 2048, 1, 0
    # Several threads wait for each other by turning: beside other work that takes minutes.
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
