package io.godwit.broker.admin.api.base;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.godwit.broker.admin.terminal.Table;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The columns of a table for the items of a list: a heading and a field each. Not changed after it has been built. */
public final class Columns {
    private static final int NODE_LETTERS = 8;
    private static final long NEVER_SECONDS = 4_294_967_295L;

    /** @param isOptional whether lists without an item of another tenant leave it out */
    private record Column(String heading, String field, boolean isOptional) {}

    private static final Column TENANT = new Column("TENANT", "tenant", true);
    private static final String USUAL_TENANT = "default";

    private final List<Column> columns = new ArrayList<>();

    public Columns with(String heading, String field) {
        columns.add(new Column(heading, field, false));
        return this;
    }

    /** Adds a column for the tenant, which a list shows only if it has items of a tenant other than {@code default}. */
    public Columns withTenant() {
        columns.add(TENANT);
        return this;
    }

    boolean hasTenant() {
        return columns.stream().anyMatch(Column::isOptional);
    }

    Columns withoutTenant() {
        Columns others = new Columns();
        columns.stream().filter(column -> !column.isOptional()).forEach(others.columns::add);
        return others;
    }

    /** Whether one of the items belongs to a tenant other than {@code default}. */
    static boolean nameTenants(JsonArray items) {
        for (JsonElement item : items) {
            if (item instanceof JsonObject object
                    && object.get(TENANT.field()) instanceof JsonPrimitive tenant
                    && !tenant.getAsString().equals(USUAL_TENANT)) {
                return true;
            }
        }
        return false;
    }

    /** The value of the parameter {@code fields}, since no other fields are needed. */
    String fields() {
        StringJoiner fields = new StringJoiner(",");
        columns.forEach(column -> fields.add(column.field()));
        return fields.toString();
    }

    Table table() {
        return new Table(columns.stream().map(Column::heading).toArray(String[]::new));
    }

    void add(Table table, JsonObject item) {
        table.add(columns.stream()
                .map(column -> cell(column.field(), item.get(column.field())))
                .toArray());
    }

    /** As {@link #shown}, but shortened for a table. */
    public static String cell(String field, @Nullable JsonElement value) {
        String shown = shown(field, value);
        boolean isNode = field.equals("node") || field.equals("home");
        return isNode && shown.length() > NODE_LETTERS ? shown.substring(0, NODE_LETTERS) : shown;
    }

    /**
     * The value of a field for people. The name of the field tells what kind of value it is; a missing field is empty.
     */
    public static String shown(String field, @Nullable JsonElement value) {
        if (value == null || value.isJsonNull()) {
            return "";
        }
        if (value instanceof JsonArray list) {
            StringJoiner parts = new StringJoiner(",");
            list.forEach(part -> parts.add(shown("", part)));
            return parts.toString();
        }
        if (!(value instanceof JsonPrimitive simple)) {
            return value.toString();
        }
        if (simple.isBoolean()) {
            return simple.getAsBoolean() ? "yes" : "no";
        }
        if (simple.isNumber() && isTime(field)) {
            return time(simple);
        }
        boolean isNever = field.endsWith("xpirySeconds") && simple.getAsString().equals(Long.toString(NEVER_SECONDS));
        return isNever ? "never" : simple.getAsString();
    }

    private static boolean isTime(String field) {
        return field.endsWith("AtMillis")
                || field.equals("atMillis")
                || field.equals("sinceMillis")
                || field.equals("untilMillis");
    }

    /** A missing time is 0, or -1 for one in the future. */
    private static String time(JsonPrimitive value) {
        try {
            long millis = value.getAsLong();
            return millis == 0
                    ? ""
                    : millis < 0
                            ? "never"
                            : Instant.ofEpochSecond(millis / 1_000).toString();
        } catch (NumberFormatException | DateTimeException e) {
            return value.getAsString();
        }
    }
}
