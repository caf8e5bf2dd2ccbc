# mcp-governor for CI systems without Python: git, uv (servers from the package index) and nothing else.
#
#   docker build --tag mcp-governor .
#   docker run --rm --volume "$PWD:/repo" mcp-governor check
#
# Base images are named by tag: dependabot raises them, and a rebuild takes their security fixes. Pin a digest if your
# policy demands it. The two stages use the same image, because the environment is copied with its interpreter's path.
FROM python:3.13-slim-bookworm AS build
ARG EXTRAS=run,serve
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY rules rules
COPY mcp_governor mcp_governor
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
    && python -m venv /opt/mcp-governor \
    && wheel="$(ls /wheels/*.whl)" \
    && /opt/mcp-governor/bin/python -m pip install --no-cache-dir "${wheel}[${EXTRAS}]"

FROM python:3.13-slim-bookworm
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="mcp-governor" \
      org.opencontainers.image.description="Catches breaking changes in MCP servers, with proof; lints what models read." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
# The repository is mounted and belongs to somebody else, which git would refuse; only this one folder is trusted.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory /repo \
    && useradd --create-home --uid 10001 governor
COPY --from=build /opt/mcp-governor /opt/mcp-governor
ENV PATH="/opt/mcp-governor/bin:${PATH}" \
    PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /repo
ENTRYPOINT ["mcp-governor"]
CMD ["--help"]
