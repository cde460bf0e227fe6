package io.godwit.broker.admin.api.message;

import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.api.base.Sweep;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists without a subcommand; {@code delete} is its subcommand. */
@Command(name = "delayed", description = "Lists messages that wait for their time, without payloads.")
public final class DelayedCommand extends ListCommand {
    private static final String PATH = "/api/v1/delayed";

    @Option(names = "--filter", paramLabel = "FILTER", description = "only those whose topics match it")
    private @Nullable String filter;

    @Option(names = "--tenant", paramLabel = "NAME", description = "whose topics (default: default)")
    private @Nullable String tenant;

    public DelayedCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() {
        return ApiPath.of(PATH).with("filter", filter).with("tenant", tenant);
    }

    @Override
    protected Columns columns() {
        return new Columns()
                .with("TOPIC", "topic")
                .with("CLIENT", "clientId")
                .with("QOS", "qos")
                .with("BYTES", "payloadBytes")
                .with("DUE", "dueAtMillis")
                .with("ID", "id");
    }

    @Command(name = "delete", description = "Discards a message that waits, or all whose topics match a filter.")
    public static final class Delete extends ApiCommand {
        private static final Sweep SWEEP = new Sweep(PATH, "ID", "discarded", "messages");

        @Parameters(paramLabel = "ID", arity = "0..1", description = "as delayed lists it")
        private @Nullable String id;

        @Option(names = "--filter", paramLabel = "FILTER", description = "all whose topics match this filter")
        private @Nullable String filter;

        @Option(names = "--tenant", paramLabel = "NAME", description = "whose topics (default: default)")
        private @Nullable String tenant;

        public Delete(Invocation invocation) {
            super(invocation);
        }

        @Override
        protected void run(ApiClient client, Output output) throws AdminException {
            SWEEP.delete(client, output, id, filter, tenant);
        }
    }
}
