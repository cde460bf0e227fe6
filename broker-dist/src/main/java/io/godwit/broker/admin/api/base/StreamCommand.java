package io.godwit.broker.admin.api.base;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** A command that prints what happens, one entry per line, until the end or an interrupt. */
public abstract class StreamCommand extends ApiCommand {
    /** The API sends something every 15 seconds. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    /** Fields at the beginning of a line. */
    private static final Set<String> FIRST = Set.of("atMillis", "node", "type");

    protected StreamCommand(Invocation invocation) {
        super(invocation);
    }

    protected abstract ApiPath path() throws AdminException;

    @Override
    protected final void run(ApiClient client, Output output) throws AdminException {
        String[] end = {""};
        client.stream(path(), SILENCE, (event, data) -> {
            switch (event) {
                case "node" ->
                    output.warn("node " + Columns.shown("", data.get("node"))
                            + (data.get("watched") != null
                                            && data.get("watched").toString().equals("true")
                                    ? " is watched"
                                    : " is not watched any more"));
                case "lost" ->
                    output.warn("warning: node " + Columns.shown("", data.get("node")) + " has dropped "
                            + Columns.shown("", data.get("count")) + " entries");
                case "end" -> end[0] = Columns.shown("", data.get("reason"));
                default -> output.entry(output.isJson() ? Output.line(data) : told(output, data));
            }
        });
        if (!end[0].equals("duration")) {
            throw new AdminException(
                    Kind.FAILED, "the stream has ended" + (end[0].isEmpty() ? "" : ": " + output.printable(end[0])));
        }
    }

    private static String told(Output output, JsonObject data) {
        StringBuilder line = new StringBuilder(Columns.shown("atMillis", data.get("atMillis")))
                .append(' ')
                .append(Columns.cell("node", data.get("node")))
                .append(' ')
                .append(Columns.shown("type", data.get("type")));
        for (Map.Entry<String, JsonElement> field : data.entrySet()) {
            if (!FIRST.contains(field.getKey())) {
                line.append(' ').append(field.getKey()).append('=').append(Columns.shown("", field.getValue()));
            }
        }
        return output.printable(line.toString());
    }
}
