package io.godwit.broker.admin.api.message;

import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.api.base.Sweep;
import io.godwit.broker.admin.api.base.WatchedCommand;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Has the subcommands {@code list}, {@code get} and {@code delete}. */
@Command(name = "retained", description = "Lists, shows and clears retained messages.")
public final class RetainedCommand implements Runnable {
    private static final String PATH = "/api/v1/retained";

    @Spec
    private @Nullable CommandSpec spec;

    /** Called when there is no subcommand. */
    @Override
    public void run() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "say what to do: list, get or delete");
    }

    @Command(name = "list", description = "Lists those whose topics match a filter, without payloads.")
    public static final class ListThem extends ListCommand {
        @Parameters(paramLabel = "FILTER", defaultValue = "#", description = "(default: #)")
        private String filter = "#";

        @Option(names = "--tenant", paramLabel = "NAME", description = "whose topics (default: default)")
        private @Nullable String tenant;

        public ListThem(Invocation invocation) {
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
                    .with("QOS", "qos")
                    .with("BYTES", "payloadBytes")
                    .with("RECEIVED", "receivedAtMillis")
                    .with("EXPIRES", "expiresAtMillis");
        }
    }

    @Command(name = "get", description = "Shows the retained message of a topic.")
    public static final class Get extends WatchedCommand {
        @Parameters(paramLabel = "TOPIC", description = "without wildcards")
        private String topic = "";

        @Option(names = "--tenant", paramLabel = "NAME", description = "whose topics (default: default)")
        private @Nullable String tenant;

        public Get(Invocation invocation) {
            super(invocation);
        }

        @Override
        protected void run(ApiClient client, Output output) throws AdminException {
            output.item(client.get(ApiPath.of(PATH).part(topic).with("tenant", tenant)));
        }
    }

    @Command(
            name = "delete",
            description =
                    "Clears the retained message of a topic, or all that match a filter. Subscribers are not told.")
    public static final class Delete extends ApiCommand {
        private static final Sweep SWEEP = new Sweep(PATH, "TOPIC", "cleared", "retained messages");

        @Parameters(paramLabel = "TOPIC", arity = "0..1", description = "of this topic")
        private @Nullable String topic;

        @Option(names = "--filter", paramLabel = "FILTER", description = "of all topics that match this filter")
        private @Nullable String filter;

        @Option(names = "--tenant", paramLabel = "NAME", description = "whose topics (default: default)")
        private @Nullable String tenant;

        public Delete(Invocation invocation) {
            super(invocation);
        }

        @Override
        protected void run(ApiClient client, Output output) throws AdminException {
            SWEEP.delete(client, output, topic, filter, tenant);
        }
    }
}
