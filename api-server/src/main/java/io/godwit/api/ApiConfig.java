package io.godwit.api;

import io.godwit.api.http.gate.HttpLimits;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where and how the API is served.
 *
 * @param host a name or address to bind
 * @param port 0 for any free port
 * @param tokensFile the file of the tokens that may use the API; empty: only the broker's own user on this machine may
 * @param checksAnswers whether each answer is compared with the document; a mismatch is answered with 500
 */
public record ApiConfig(
        String host, int port, Optional<Tls> tls, Optional<Path> tokensFile, boolean checksAnswers, HttpLimits limits) {
    /**
     * TLS with PEM files.
     *
     * @param clientAuthority the CA of client certificates; empty requests no client certificate
     */
    public record Tls(Path certificate, Path key, Optional<Path> clientAuthority) {}
}
