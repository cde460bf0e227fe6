package io.godwit.broker.admin.api.client;

import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin kick}. */
@Command(
        name = "kick",
        description = "Ends the connection of a client, on any node. Its session stays, its will is published.")
public final class KickCommand extends ApiCommand {
    /** The reason code in DISCONNECT for a 5.0 client. */
    enum Reason {
        UNSPECIFIED(0x80),
        NOT_AUTHORIZED(0x87),
        BUSY(0x89),
        SHUTTING_DOWN(0x8B),
        QUOTA_EXCEEDED(0x97),
        ADMINISTRATIVE(0x98),
        USE_ANOTHER_SERVER(0x9C),
        SERVER_MOVED(0x9D);

        private final int code;

        Reason(int code) {
            this.code = code;
        }

        /** The spelling on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Parameters(paramLabel = "CLIENT_ID", description = "its client id")
    private String clientId = "";

    @Option(
            names = "--reason",
            paramLabel = "REASON",
            defaultValue = "administrative",
            description = "what a 5.0 client is told: ${COMPLETION-CANDIDATES} (default: administrative)")
    private Reason reason = Reason.ADMINISTRATIVE;

    @Option(names = "--tenant", paramLabel = "NAME", description = "the client's tenant (default: default)")
    private @Nullable String tenant;

    public KickCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        output.done(
                "disconnected " + clientId,
                client.delete(ApiPath.of("/api/v1/clients")
                        .client(clientId)
                        .with("tenant", tenant)
                        .with("reasonCode", reason.code)));
    }
}
