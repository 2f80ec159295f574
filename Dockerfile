# The image contains only the binary and the built site, not even a shell.

FROM node:24-trixie-slim AS site
WORKDIR /src/web
ENV PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY openapi.yaml ../
COPY crates/analytics/rates ../crates/analytics/rates
COPY crates/careers/form-choices.json ../crates/careers/
COPY crates/careers/openings ../crates/careers/openings
COPY crates/trades/broker-plans.json ../crates/trades/
COPY web ./
RUN npm run build

FROM rust:1-trixie AS server
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --release --locked --bin tradebahi && \
    install --strip target/release/tradebahi /usr/local/bin/ && \
    mkdir /data /run/tradebahi

FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=server /usr/local/bin/tradebahi /usr/local/bin/
COPY --from=site /src/web/build/client /srv/tradebahi
# A new volume gets the owner and permissions of its directory: one for data, one for a Unix socket shared with a proxy.
COPY --from=server --chown=nonroot:nonroot --chmod=700 /data /data
COPY --from=server --chown=nonroot:nonroot --chmod=750 /run/tradebahi /run/tradebahi
ENV TRADEBAHI_DATA_DIR=/data \
    TRADEBAHI_LISTEN=0.0.0.0:8080 \
    TRADEBAHI_LOG_FORMAT=json \
    TRADEBAHI_WEB_DIR=/srv/tradebahi
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=30s CMD ["tradebahi", "health"]
ENTRYPOINT ["tradebahi"]
CMD ["serve"]
