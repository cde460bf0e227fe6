package io.godwit.broker.admin.api.access;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.InputBytes;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.api.base.WatchedCommand;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Table;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists without a subcommand; {@code add}, {@code remove} and {@code set} are its subcommands. */
@Command(
        name = "rules",
        description = {
            "Lists the rules of who may publish and subscribe, in the order in which they count: those of the node's",
            "file, then those of all nodes. add, remove and set change only those of all nodes. add and remove keep",
            "what others change at the same time; set replaces everything."
        })
public final class RulesCommand extends WatchedCommand {
    private static final String PATH = "/api/v1/rules";
    private static final int MOST_TRIES = 5;

    public RulesCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        JsonObject answer = client.get(ApiPath.of(PATH));
        if (output.isJson()) {
            output.json(answer);
            return;
        }
        Table table = new Table("SOURCE", "RULE");
        for (String source : List.of("file", "api")) {
            lines(answer, source).forEach(line -> table.add(source, line));
        }
        output.print(table);
    }

    private static List<String> lines(JsonObject answer, String source) throws AdminException {
        if (!(answer.get(source) instanceof JsonArray lines)) {
            throw new AdminException(Kind.FAILED, "the answer has no rules");
        }
        List<String> texts = new ArrayList<>();
        for (JsonElement line : lines) {
            texts.add(Columns.shown("", line));
        }
        return texts;
    }

    /** Changes rules in place. */
    private interface Edit {
        void apply(List<String> rules) throws AdminException;
    }

    /** Changes the current rules of all nodes; tries again when somebody else has changed them meanwhile. */
    private static void edit(ApiClient client, Output output, Edit edit, String done) throws AdminException {
        for (int i = 0; i < MOST_TRIES; i++) {
            JsonObject answer = client.get(ApiPath.of(PATH));
            List<String> rules = new ArrayList<>(lines(answer, "api"));
            edit.apply(rules);
            // earlier releases send no version, and let the last writer win
            String version = answer.get("version") instanceof JsonPrimitive text ? text.getAsString() : "";
            if (client.replace(ApiPath.of(PATH), version, body(rules))) {
                output.done(done, new JsonObject());
                return;
            }
        }
        throw new AdminException(Kind.REFUSED, "others changed the rules at each attempt; nothing was changed");
    }

    private static JsonObject body(List<String> rules) {
        JsonArray lines = new JsonArray();
        rules.forEach(lines::add);
        JsonObject body = new JsonObject();
        body.add("api", lines);
        return body;
    }

    @Command(name = "add", description = "Adds a rule behind all others, or before them.")
    public static final class Add extends ApiCommand {
        @Parameters(
                arity = "1..*",
                paramLabel = "RULE",
                description = "such as \"allow publish user ann rooms/#\"; it may be several words")
        private List<String> words = List.of();

        @Option(names = "--first", description = "before all other rules of all nodes")
        private boolean isFirst;

        public Add(Invocation invocation) {
            super(invocation);
        }

        @Override
        protected void run(ApiClient client, Output output) throws AdminException {
            String rule = String.join(" ", words);
            Edit adding = rules -> {
                if (rules.contains(rule)) {
                    throw new AdminException(Kind.REFUSED, "there is this rule already: " + rule);
                }
                rules.add(isFirst ? 0 : rules.size(), rule);
            };
            edit(client, output, adding, "added " + rule);
        }
    }

    @Command(name = "remove", description = "Removes a rule.")
    public static final class Remove extends ApiCommand {
        @Parameters(arity = "1..*", paramLabel = "RULE", description = "as rules lists it; it may be several words")
        private List<String> words = List.of();

        public Remove(Invocation invocation) {
            super(invocation);
        }

        @Override
        protected void run(ApiClient client, Output output) throws AdminException {
            String rule = String.join(" ", words);
            Edit removing = rules -> {
                if (!rules.remove(rule)) {
                    throw new AdminException(Kind.UNKNOWN, "there is no such rule of all nodes: " + rule);
                }
            };
            edit(client, output, removing, "removed " + rule);
        }
    }

    @Command(name = "set", description = "Sets all rules of all nodes; an empty file removes them.")
    public static final class Set extends ApiCommand {
        private static final int MOST_BYTES = 1 << 20;

        @Parameters(paramLabel = "FILE", description = "a rule on each line; - is standard input")
        private Path file = Path.of("-");

        public Set(Invocation invocation) {
            super(invocation);
        }

        @Override
        protected void run(ApiClient client, Output output) throws AdminException {
            List<String> rules = InputBytes.lines(file, "rules", MOST_BYTES).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
            String done = "set " + rules.size() + (rules.size() == 1 ? " rule" : " rules");
            output.done(done, client.put(ApiPath.of(PATH), body(rules)));
        }
    }
}
