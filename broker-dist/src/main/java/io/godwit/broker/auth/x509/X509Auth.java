package io.godwit.broker.auth.x509;

import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.TenantId;
import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Lets in clients with a certificate, under a name from it. The listener has already checked that a trusted authority
 * issued the certificate and that the client has its key. Clients without one are left to other providers.
 */
final class X509Auth implements AuthProvider {
    private static final CompletableFuture<ConnectResult> UNDECIDED =
            CompletableFuture.completedFuture(ConnectResult.UNDECIDED);
    private static final CompletableFuture<AuthDecision> NO_SAY =
            CompletableFuture.completedFuture(AuthDecision.UNDECIDED);

    private final UserFrom user;
    private final TenantFrom tenant;
    private final boolean allowsAll;

    /** The part of the certificate that becomes the user name. */
    enum UserFrom {
        COMMON_NAME,
        SUBJECT,
        EMAIL,
        DNS,
        URI;

        Optional<String> of(X509Certificate certificate) {
            return switch (this) {
                case COMMON_NAME -> CertificateNames.ofSubject(certificate, "cn");
                case SUBJECT -> CertificateNames.subject(certificate);
                case EMAIL -> CertificateNames.alternative(certificate, 1);
                case DNS -> CertificateNames.alternative(certificate, 2);
                case URI -> CertificateNames.alternative(certificate, 6);
            };
        }
    }

    /** The part of the certificate that becomes the tenant. */
    enum TenantFrom {
        /** Leaves the tenant unchanged. */
        NONE,
        ORGANIZATION,
        ORGANIZATIONAL_UNIT
    }

    /** @param allowsAll whether its clients may do everything; otherwise other providers decide */
    X509Auth(UserFrom user, TenantFrom tenant, boolean allowsAll) {
        this.user = user;
        this.tenant = tenant;
        this.allowsAll = allowsAll;
    }

    @Override
    public Set<AuthCheck> checks() {
        return allowsAll ? EnumSet.of(AuthCheck.CONNECT) : EnumSet.allOf(AuthCheck.class);
    }

    @Override
    public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
        X509Certificate certificate = request.certificate();
        return certificate == null ? UNDECIDED : CompletableFuture.completedFuture(result(request, certificate));
    }

    private ConnectResult result(ConnectRequest request, X509Certificate certificate) {
        Optional<String> name = user.of(certificate);
        if (name.isEmpty()) {
            return refused("user name");
        }
        ConnectResult.Accepted accepted =
                new ConnectResult.Accepted(request.client().tenant(), name.get());
        if (tenant == TenantFrom.NONE) {
            return accepted;
        }
        String type = tenant == TenantFrom.ORGANIZATION ? "o" : "ou";
        try {
            return CertificateNames.ofSubject(certificate, type)
                    .<ConnectResult>map(text -> accepted.in(new TenantId(text)))
                    .orElse(refused("tenant"));
        } catch (IllegalArgumentException e) { // not a valid name of a tenant
            return refused("tenant");
        }
    }

    private static ConnectResult refused(String what) {
        return new ConnectResult.Refused(
                RefusalReason.BAD_CREDENTIALS, "x509: the certificate has no " + what + ", or more than one");
    }

    @Override
    public CompletableFuture<AuthDecision> publish(PublishRequest request) {
        return NO_SAY;
    }

    @Override
    public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
        return NO_SAY;
    }
}
