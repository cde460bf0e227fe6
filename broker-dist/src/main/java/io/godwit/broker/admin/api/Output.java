package io.godwit.broker.admin.api;

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

/** What a command prints: for people, or for programs when they want JSON. What was noticed besides goes to stderr. */
final class Output {
    private final Invocation invocation;
    private final PrintStream out;
    private int exitCode;

    Output(Invocation invocation, PrintStream out) {
        this.invocation = invocation;
        this.out = out;
    }

    /** What was asked for was told, and is not as it should be. */
    void isBad() {
        exitCode = Kind.FAILED.exitCode();
    }

    int exitCode() {
        return exitCode;
    }

    boolean isJson() {
        return invocation.isJson();
    }

    Screen screen() {
        return invocation.screen();
    }

    void json(JsonElement json) {
        out.println(Printable.json(Printer.PRETTY.toJson(json)));
    }

    /** Without a new line, and without one in it. */
    void part(String text) {
        out.print(text);
    }

    static String line(JsonElement json) {
        return Printable.json(Printer.LINE.toJson(json));
    }

    void print(Table table) {
        table.print(out, screen());
    }

    /** All fields of an item, one on each line. */
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

    /** As {@link #fields}, of the item of an answer; the nodes that it lacks are named. */
    void item(JsonObject answer) throws AdminException {
        if (!(answer.get("item") instanceof JsonObject item)) {
            throw new AdminException(Kind.FAILED, "the answer has no item");
        }
        fields(item);
        warnOfMissing(missing(answer));
    }

    /** The items of an answer that has all of them. */
    void all(JsonObject answer, Columns columns) throws AdminException {
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

    String printable(String text) {
        return Printable.of(text);
    }

    /** What was done; where JSON is wanted, the answer of the API. */
    void done(String text, JsonObject answer) {
        if (isJson()) {
            json(answer);
        } else {
            out.println("godwit-admin: " + Printable.of(text));
        }
    }

    /** What people are told while something goes on; on standard error, since JSON goes to the other. */
    void progress(String text) {
        if (isJson()) {
            warn(text);
        } else {
            entry("godwit-admin: " + Printable.of(text));
        }
    }

    void say(String line) {
        out.println(line);
    }

    /** Of a stream: seen at once, through a pipe too. */
    void entry(String line) {
        out.println(line);
        out.flush();
    }

    void warn(String text) {
        invocation.err().println("godwit-admin: " + Printable.of(text));
    }

    /** Names the nodes whose part is missing. */
    void warnOfMissing(Iterable<String> nodes) {
        List<String> names = new ArrayList<>();
        nodes.forEach(names::add);
        if (!names.isEmpty()) {
            warn("warning: nodes that did not answer, whose part is missing: " + String.join(", ", names));
        }
    }

    static List<String> missing(JsonObject answer) {
        List<String> names = new ArrayList<>();
        if (answer.get("missingNodes") instanceof JsonArray nodes) {
            nodes.forEach(node -> names.add(node.isJsonPrimitive() ? node.getAsString() : node.toString()));
        }
        return names;
    }

    /** Made when JSON is wanted: the start of the command is waited for. */
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
