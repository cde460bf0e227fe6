package io.godwit.broker.admin.api.base;

import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiTarget;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * The options for the address of the API and the caller's identity, before or after the name of a command. The token is
 * no option: other users of the machine can read options.
 */
public final class ApiOptions {
    private static final String VARIABLE = "GODWIT_TOKEN";

    @Option(
            names = "--url",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "the HTTP API of a node, such as https://broker.example:8091, in place of --data")
    private @Nullable String url;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "a file with a token; without it the variable GODWIT_TOKEN is looked at")
    private @Nullable Path tokenFile;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "with --url: the authorities to trust (PEM), in place of those of the JVM")
    private @Nullable Path authorities;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "with --url: a certificate to show (PEM)")
    private @Nullable Path certificate;

    @Option(names = "--key", paramLabel = "FILE", scope = ScopeType.INHERIT, description = "its private key (PEM)")
    private @Nullable Path key;

    /** Whether any of these options was given. */
    public boolean isGiven() {
        return url != null || tokenFile != null || authorities != null || certificate != null || key != null;
    }

    /** A client with these options and those of the invocation. */
    public ApiClient connect(Invocation invocation) throws AdminException {
        ApiTarget target = target(invocation);
        if (target.showsToken()) {
            invocation.err().println("godwit-admin: warning: the token travels in the clear to " + target);
        }
        return new ApiClient(target, invocation.timeout());
    }

    private ApiTarget target(Invocation invocation) throws AdminException {
        if (invocation.isRpc()) {
            throw new AdminException(Kind.USAGE, "this command uses the HTTP API: give --url, not --rpc or --tls-...");
        }
        String address = url;
        if (address != null) {
            return ApiTarget.at(address, token(invocation), authorities, certificate, key);
        }
        if (authorities != null || certificate != null || key != null) {
            throw new AdminException(Kind.USAGE, "--ca, --cert and --key are for --url");
        }
        return ApiTarget.local(invocation.data(), token(invocation));
    }

    private String token(Invocation invocation) throws AdminException {
        Path file = tokenFile;
        if (file != null) {
            return ApiTarget.tokenOf(file);
        }
        String text = invocation.variable(VARIABLE);
        return text.isEmpty() ? "" : ApiTarget.checked(text, "the variable " + VARIABLE);
    }
}
