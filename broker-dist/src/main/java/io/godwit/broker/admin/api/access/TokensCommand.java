package io.godwit.broker.admin.api.access;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.godwit.api.auth.Role;
import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists without a subcommand; {@code add} and {@code remove} are its subcommands. */
@Command(
        name = "tokens",
        description = {
            "Lists who may use the API: of all nodes, and of the node's file of tokens.",
            "The file itself is changed by the command token."
        })
public final class TokensCommand extends ListCommand {
    private static final String PATH = "/api/v1/tokens";

    public TokensCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() {
        return ApiPath.of(PATH);
    }

    @Override
    protected Columns columns() {
        return new Columns()
                .with("NAME", "name")
                .with("ROLE", "role")
                .with("TENANT", "tenant")
                .with("KIND", "kind")
                .with("SUBJECT", "subject")
                .with("UNTIL", "untilMillis")
                .with("SOURCE", "source");
    }

    @Command(
            name = "add",
            description = "Makes a token that all nodes accept and prints it, once; or admits a certificate.")
    public static final class Add extends ApiCommand {
        @Parameters(paramLabel = "NAME", description = "1 to 64 letters, digits, dots, hyphens, underscores")
        private String name = "";

        @Option(names = "--role", required = true, paramLabel = "ROLE", description = "${COMPLETION-CANDIDATES}")
        private Role role = Role.VIEWER;

        @Option(
                names = "--tenant",
                paramLabel = "TENANT",
                description = "bind it to this tenant (default: all tenants and the cluster)")
        private @Nullable String tenant;

        @Option(
                names = "--subject",
                paramLabel = "SUBJECT",
                description = "no token but a client certificate with this subject, such as CN=ops,O=birds")
        private @Nullable String subject;

        @Option(names = "--seconds", paramLabel = "N", description = "for so long (default: until it is removed)")
        private @Nullable Long seconds;

        public Add(Invocation invocation) {
            super(invocation);
        }

        @Override
        protected void run(ApiClient client, Output output) throws AdminException {
            JsonObject body = new JsonObject();
            body.addProperty("name", name);
            body.addProperty("role", role.spelled());
            if (tenant != null) {
                body.addProperty("tenant", tenant);
            }
            if (subject != null) {
                body.addProperty("subject", subject);
            }
            if (seconds != null) {
                body.addProperty("seconds", seconds);
            }
            JsonObject answer = client.post(ApiPath.of(PATH), body);
            output.done("added " + name, answer);
            if (answer.get("token") instanceof JsonPrimitive token && !output.isJson()) {
                output.say("godwit-admin: its token, of which the nodes keep a hash only, is shown this once:");
                output.say(output.printable(token.getAsString()));
            }
        }
    }

    @Command(name = "remove", description = "Removes a token or certificate that was added by the API.")
    public static final class Remove extends ApiCommand {
        @Parameters(paramLabel = "NAME", description = "as tokens lists it")
        private String name = "";

        public Remove(Invocation invocation) {
            super(invocation);
        }

        @Override
        protected void run(ApiClient client, Output output) throws AdminException {
            output.done("removed " + name, client.delete(ApiPath.of(PATH).part(name)));
        }
    }
}
