package io.godwit.api.route;

import io.godwit.api.auth.Principal;
import io.godwit.api.auth.Tokens;
import io.godwit.api.http.Callers;
import io.godwit.api.http.Connections;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.Workers;
import io.godwit.api.port.LocalCallers;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the caller: the owner of a token or certificate. Without a tokens file, a process on this machine that
 * runs as the broker's own user or as root (docs/adr/0063). Confined to the event loop.
 */
public final class Authenticator {
    private static final String SCHEME = "bearer ";

    /** Null when no tokens file is configured; the API then listens on loopback only. */
    private final @Nullable Tokens tokens;

    private final LocalCallers local;
    private final Workers workers;

    public Authenticator(@Nullable Tokens tokens, LocalCallers local, Workers workers) {
        this.tokens = tokens;
        this.local = local;
        this.workers = workers;
    }

    /**
     * The caller; fails with a {@link ProblemException} that says why it is unknown. Completes on the event loop or a
     * worker.
     */
    CompletableFuture<Principal> identify(HttpServerRequest request, Connections.State connection) {
        Tokens known = tokens;
        if (known == null) {
            return identifyLocal(request, connection);
        }
        Optional<Principal> found = ofCredentials(known, request);
        return found.map(CompletableFuture::completedFuture)
                .orElseGet(() -> CompletableFuture.failedFuture(new ProblemException(Problem.unauthorized(
                        request.headers().contains("Authorization")
                                ? "the token is not valid"
                                : "send a token as Authorization: Bearer TOKEN"))));
    }

    /** The caller, for uses that do not require one; empty when it is unknown. Never fails. */
    Optional<Principal> ifKnown(HttpServerRequest request) {
        return tokens == null ? Optional.empty() : ofCredentials(tokens, request);
    }

    /** Whether the caller is unknown. Without a tokens file only local programs connect, which are not strangers. */
    boolean isStranger(HttpServerRequest request) {
        return tokens != null && ofCredentials(tokens, request).isEmpty();
    }

    /** Whether the request has a valid token or certificate; false without a tokens file. */
    boolean hasCredentials(HttpServerRequest request) {
        return tokens != null && ofCredentials(tokens, request).isPresent();
    }

    /** Whether an identified caller still has the same role: tokens change during a stream. */
    boolean isStill(Principal caller, HttpServerRequest request) {
        return tokens == null
                || ofCredentials(tokens, request).filter(caller::equals).isPresent();
    }

    private static Optional<Principal> ofCredentials(Tokens tokens, HttpServerRequest request) {
        String header = request.getHeader("Authorization");
        if (header != null) { // a certificate does not make up for a wrong token
            return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                    ? Optional.ofNullable(
                            tokens.ofToken(header.substring(SCHEME.length()).strip()))
                    : Optional.empty();
        }
        X509Certificate certificate = certificate(request);
        return certificate == null
                ? Optional.empty()
                : Optional.ofNullable(tokens.ofSubject(certificate.getSubjectX500Principal()));
    }

    private static @Nullable X509Certificate certificate(HttpServerRequest request) {
        if (!request.isSSL() || request.sslSession() == null) {
            return null;
        }
        try {
            Certificate[] chain = request.sslSession().getPeerCertificates();
            if (chain.length == 0 || !(chain[0] instanceof X509Certificate first)) {
                return null;
            }
            first.checkValidity(); // it was valid at the handshake, but the connection may be old
            return first;
        } catch (SSLPeerUnverifiedException | CertificateException e) {
            return null; // none was shown, or it has expired
        }
    }

    private CompletableFuture<Principal> identifyLocal(HttpServerRequest request, Connections.State connection) {
        if (!Callers.isThisMachine(request)) {
            return refused("without apiServerConfig.tokensFile only this machine may use the API, not through a proxy");
        }
        if (!Callers.isForLoopbackName(request)) {
            return refused("without apiServerConfig.tokensFile the Host header must be localhost, 127.0.0.1 or [::1]");
        }
        CompletableFuture<Boolean> trusted = connection.trusted();
        // a refusal may have had a passing cause, such as a lack of workers: ask again
        if (trusted == null || isNo(trusted)) {
            InetSocketAddress here = Callers.local(request);
            InetSocketAddress there = Callers.socket(request);
            trusted = workers.supply(() -> local.isTrusted(here, there));
            connection.trusted(trusted);
        }
        return trusted.thenCompose(isTrusted -> isTrusted
                ? CompletableFuture.completedFuture(Principal.LOCAL)
                : refused(
                        "without apiServerConfig.tokensFile only the user that the broker runs as, and root, may ask"));
    }

    private static boolean isNo(CompletableFuture<Boolean> answer) {
        return answer.isCompletedExceptionally() || !answer.getNow(true);
    }

    private static CompletableFuture<Principal> refused(String why) {
        return CompletableFuture.failedFuture(new ProblemException(Problem.forbidden(why)));
    }
}
