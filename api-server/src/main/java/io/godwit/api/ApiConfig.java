package io.godwit.api;

import io.godwit.api.http.Limits;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where and how the API is served.
 *
 * @param host a name or address to bind
 * @param port 0 for any that is free
 * @param tokensFile who may use it; empty: the broker's own user on this machine
 * @param checksAnswers whether each answer is compared with the document, and one that differs is answered 500
 */
public record ApiConfig(
        String host, int port, Optional<Tls> tls, Optional<Path> tokensFile, boolean checksAnswers, Limits limits) {
    /**
     * TLS, by PEM files.
     *
     * @param clientAuthority who issues certificates of clients; empty asks for none
     */
    public record Tls(Path certificate, Path key, Optional<Path> clientAuthority) {}
}
