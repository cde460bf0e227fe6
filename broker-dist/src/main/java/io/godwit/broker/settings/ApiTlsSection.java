package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;

/** {@code apiServerConfig.tls}. */
public record ApiTlsSection(
        @ConfigKey(text = """
                    The server's certificate, followed by those between it and its root. Empty: no TLS. All three
                    files are read again when they change.
                    """) String certFile,
        @ConfigKey(text = "Its private key, not encrypted.") String keyFile,
        @ConfigKey(text = """
                    The authorities that issue certificates of callers. Empty: none are asked for. The tokensFile says
                    which subject has which role.
                    """) String clientCaFile) {}
