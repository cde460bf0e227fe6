package io.godwit.broker.settings;

import io.godwit.broker.config.key.Key;

/** {@code apiServerConfig.tls}. */
public record ApiTlsSection(
        @Key(text = """
                    The server's certificate, followed by those between it and its root. Empty: no TLS. All three
                    files are read again when they change.
                    """) String certFile,
        @Key(text = "Its private key, not encrypted.") String keyFile,
        @Key(text = """
                    The authorities that issue certificates of callers. Empty: none are asked for. The tokensFile says
                    which subject has which role.
                    """) String clientCaFile) {}
