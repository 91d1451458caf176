# The service as an image, built without a network from a folder of wheels:
#   pip wheel --wheel-dir wheels '.[serve]'
#   docker build --network none --tag nlgauge .
#   docker run --rm --publish 127.0.0.1:8000:8000 --env NLGAUGE_SERVE_KEYS="$(openssl rand -hex 32)" nlgauge
# The wheels have to be made by the same Python and for the same machine as the image; see docs/serve.md.
ARG PYTHON=3.11-slim
FROM python:${PYTHON}

RUN --mount=type=bind,source=wheels,target=/wheels \
    pip install --no-index --no-cache-dir --find-links /wheels 'nlgauge[serve]' \
    && useradd --system --no-create-home --shell /usr/sbin/nologin nlgauge

# Nothing of what is sent is written to a disk.
ENV NLGAUGE_CACHE=off PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER nlgauge
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/ready', timeout=4)"]
ENTRYPOINT ["nlgauge", "serve", "--host", "0.0.0.0"]
