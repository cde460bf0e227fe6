package io.godwit.broker.admin.api.base;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Printable;
import io.godwit.broker.admin.terminal.Screen;
import io.godwit.broker.admin.terminal.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The output of a command, as text for people or as JSON for programs. Warnings go to standard error. */
public final class Output {
    private final Invocation invocation;
    private final PrintStream out;
    private int exitCode;

    Output(Invocation invocation, PrintStream out) {
        this.invocation = invocation;
        this.out = out;
    }

    /** The command reports a problem: it ends with an exit code for failure. */
    public void isBad() {
        exitCode = Kind.FAILED.exitCode();
    }

    int exitCode() {
        return exitCode;
    }

    public boolean isJson() {
        return invocation.isJson();
    }

    public Screen screen() {
        return invocation.screen();
    }

    public void json(JsonElement json) {
        out.println(Printable.json(Printer.PRETTY.toJson(json)));
    }

    /** Prints text without a line break. */
    void part(String text) {
        out.print(text);
    }

    static String line(JsonElement json) {
        return Printable.json(Printer.LINE.toJson(json));
    }

    public void print(Table table) {
        table.print(out, screen());
    }

    /** Prints all fields of an item, one per line. */
    private void fields(JsonObject item) {
        if (isJson()) {
            json(item);
            return;
        }
        Table table = new Table("FIELD", "VALUE");
        for (Map.Entry<String, JsonElement> field : item.entrySet()) {
            table.add(field.getKey(), Columns.shown(field.getKey(), field.getValue()));
        }
        print(table);
    }

    /** Prints the item of an answer as {@link #fields} does, and names the missing nodes. */
    public void item(JsonObject answer) throws AdminException {
        if (!(answer.get("item") instanceof JsonObject item)) {
            throw new AdminException(Kind.FAILED, "the answer has no item");
        }
        fields(item);
        warnOfMissing(missing(answer));
    }

    /** Prints all items of an answer with a single page. */
    public void all(JsonObject answer, Columns columns) throws AdminException {
        if (!(answer.get("items") instanceof JsonArray items)) {
            throw new AdminException(Kind.FAILED, "the answer has no items");
        }
        if (isJson()) {
            json(answer);
            return;
        }
        Table table = columns.table();
        for (JsonElement item : items) {
            if (item instanceof JsonObject object) {
                columns.add(table, object);
            }
        }
        print(table);
    }

    public String printable(String text) {
        return Printable.of(text);
    }

    /** Prints what was done, or the answer of the API as JSON. */
    public void done(String text, JsonObject answer) {
        if (isJson()) {
            json(answer);
        } else {
            out.println("godwit-admin: " + Printable.of(text));
        }
    }

    /** Prints a progress line; with JSON on standard error, since standard output is for the JSON. */
    public void progress(String text) {
        if (isJson()) {
            warn(text);
        } else {
            entry("godwit-admin: " + Printable.of(text));
        }
    }

    public void say(String line) {
        out.println(line);
    }

    /** Prints a line of a stream and flushes it, so that it passes through a pipe at once. */
    void entry(String line) {
        out.println(line);
        out.flush();
    }

    public void warn(String text) {
        invocation.err().println("godwit-admin: " + Printable.of(text));
    }

    /** Warns of nodes that did not answer. */
    public void warnOfMissing(Iterable<String> nodes) {
        List<String> names = new ArrayList<>();
        nodes.forEach(names::add);
        if (!names.isEmpty()) {
            warn("warning: nodes that did not answer, whose part is missing: " + String.join(", ", names));
        }
    }

    public static List<String> missing(JsonObject answer) {
        List<String> names = new ArrayList<>();
        if (answer.get("missingNodes") instanceof JsonArray nodes) {
            nodes.forEach(node -> names.add(node.isJsonPrimitive() ? node.getAsString() : node.toString()));
        }
        return names;
    }

    /** Created only when JSON is wanted, since it would delay the start of the command. */
    private static final class Printer {
        static final Gson PRETTY = new GsonBuilder()
                .disableHtmlEscaping()
                .setPrettyPrinting()
                .serializeNulls()
                .create();
        static final Gson LINE =
                new GsonBuilder().disableHtmlEscaping().serializeNulls().create();
    }
}
