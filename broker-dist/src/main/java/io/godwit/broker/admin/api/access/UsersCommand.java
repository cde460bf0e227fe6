package io.godwit.broker.admin.api.access;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.InputBytes;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists without a subcommand; {@code set} and {@code remove} are its subcommands. */
@Command(
        name = "users",
        description = "Lists the users of the auth provider file: of all nodes, and of the node's file.")
public final class UsersCommand extends ListCommand {
    private static final String PATH = "/api/v1/users";

    public UsersCommand(Invocation invocation) {
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
                .with("SOURCE", "source")
                .with("HASH", "hash")
                .with("SINCE", "sinceMillis")
                .with("BY", "by");
    }

    @Command(name = "set", description = "Makes a user of all nodes, or sets its password.")
    public static final class Set extends ApiCommand {
        private static final int MOST_BYTES = 4_096;

        /** How the password is stored. */
        enum Hash {
            BCRYPT,
            ARGON2,
            SCRAM
        }

        @Parameters(paramLabel = "NAME", description = "of the user")
        private String name = "";

        @Option(
                names = "--password-file",
                paramLabel = "FILE",
                description = "its first line is the password; without it, or with -, that of standard input")
        private Path passwordFile = Path.of("-");

        @Option(
                names = "--hash",
                paramLabel = "HASH",
                description = "how it is kept: ${COMPLETION-CANDIDATES} (default: bcrypt)")
        private @Nullable Hash hash;

        public Set(Invocation invocation) {
            super(invocation);
        }

        @Override
        protected void run(ApiClient client, Output output) throws AdminException {
            List<String> lines = InputBytes.lines(passwordFile, "password", MOST_BYTES);
            if (lines.isEmpty() || lines.get(0).isEmpty()) {
                throw new AdminException(Kind.USAGE, "the password is empty");
            }
            JsonObject body = new JsonObject();
            body.addProperty("password", lines.get(0));
            if (hash != null) {
                body.addProperty("hash", hash.name().toLowerCase(Locale.ROOT));
            }
            JsonObject answer = client.put(ApiPath.of(PATH).part(name), body);
            boolean isNew = answer.get("new") instanceof JsonPrimitive made && made.getAsBoolean();
            output.done(isNew ? "made " + name : name + " has another password", answer);
        }
    }

    @Command(name = "remove", description = "Removes a user of all nodes. Its connected clients stay.")
    public static final class Remove extends ApiCommand {
        @Parameters(paramLabel = "NAME", description = "as users lists it")
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
