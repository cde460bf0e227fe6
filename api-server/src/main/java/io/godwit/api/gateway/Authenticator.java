package io.godwit.api.gateway;

import io.godwit.api.auth.Principal;
import io.godwit.api.auth.Tokens;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.Workers;
import io.godwit.api.http.gate.Callers;
import io.godwit.api.http.gate.Connections;
import io.godwit.api.port.access.LocalCallers;
import io.godwit.api.port.access.LocalCallers.Peer;
import io.vertx.core.http.HttpServerRequest;
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

    private final LocalLooks looks;

    public Authenticator(@Nullable Tokens tokens, LocalCallers local, Workers workers) {
        this.tokens = tokens;
        this.looks = new LocalLooks(local, workers);
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

    /** Whether the request has a valid token or certificate; false without a tokens file. */
    boolean hasCredentials(HttpServerRequest request) {
        return tokens != null && ofCredentials(tokens, request).isPresent();
    }

    /** Whether this connection has been found to be of the broker's own user or of root; false with a tokens file. */
    boolean isOwn(HttpServerRequest request, Connections.State connection) {
        return tokens == null && peer(connection) == Peer.TRUSTED && isDirect(request);
    }

    /** Whether nobody has found out yet to whom this connection belongs; false with a tokens file. */
    boolean mayBeOwn(HttpServerRequest request, Connections.State connection) {
        return tokens == null && peer(connection) == Peer.UNKNOWN && isDirect(request);
    }

    /** Whether this connection has been found to be of another user of this machine; false with a tokens file. */
    boolean isOfAnotherUser(Connections.State connection) {
        return tokens == null && peer(connection) == Peer.ANOTHER_USER;
    }

    private static Peer peer(Connections.State connection) {
        CompletableFuture<Peer> peer = connection.peer();
        return peer == null || peer.isCompletedExceptionally() ? Peer.UNKNOWN : peer.getNow(Peer.UNKNOWN);
    }

    private static boolean isDirect(HttpServerRequest request) {
        return Callers.isThisMachine(request) && Callers.isForLoopbackName(request);
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
        CompletableFuture<Peer> peer = connection.peer();
        // that it is not known may have had a passing cause, such as a lack of workers: ask again
        if (peer == null || peer.isDone() && peer(connection) == Peer.UNKNOWN) {
            peer = looks.ask(new LocalCallers.Ends(Callers.local(request), Callers.socket(request)));
            connection.peer(peer);
        }
        return peer.thenCompose(found -> found == Peer.TRUSTED
                ? CompletableFuture.completedFuture(Principal.LOCAL)
                : refused(
                        "without apiServerConfig.tokensFile only the user that the broker runs as, and root, may ask"));
    }

    private static CompletableFuture<Principal> refused(String why) {
        return CompletableFuture.failedFuture(new ProblemException(Problem.forbidden(why)));
    }
}
