package io.godwit.api.gateway;

import io.godwit.api.audit.AuditLog;
import io.godwit.api.audit.RecordBudget;
import io.godwit.api.auth.Principal;
import io.godwit.api.auth.TokenText;
import io.godwit.api.contract.Operation;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * Lines of the audit log: the caller, the operation and its outcome. Values that a client chose are written as JSON, so
 * that they cannot begin a new line, and without characters that move a terminal's cursor. Long texts are cut, and
 * {@link RecordBudget} bounds what a caller writes in an hour: a caller must not push out the records of others.
 */
final class Audit {
    private static final int FORBIDDEN = 403;

    /** Bounds the parameters, and the body. */
    static final int MAX_CHARS = 2_000;

    /** The operation whose body is recorded up to {@link #MAX_RULES_CHARS}. */
    private static final String SETS_RULES = "setRules";

    /** A full set of access rules takes a body of 16 KB, and only administrators set them. */
    static final int MAX_RULES_CHARS = 20_000;

    /** The same for a request that was refused as forbidden. */
    static final int MAX_REFUSED_CHARS = 512;

    /** The same for a caller that has had many records in the last hour. */
    static final int MAX_SHORT_CHARS = 64;

    /** What {@code conf/logback.xml} writes before and after a record. */
    private static final long MAX_PREFIX_BYTES = 80;

    /** A text that is cut has this much of its SHA-256. */
    private static final int DIGEST_BYTES = 8;

    private Audit() {}

    /** JSON in one line of visible characters. */
    private static String text(JsonObject json, int most) {
        String whole = Json.encode(json);
        StringBuilder text = new StringBuilder(Math.min(whole.length(), most) + 32);
        for (int i = 0; i < whole.length() && text.length() < most; i++) {
            char c = whole.charAt(i);
            if (isHidden(c)) {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.length() < most
                ? text.toString()
                : text.append("... of ")
                        .append(whole.length())
                        .append(" sha256=")
                        .append(HexFormat.of().formatHex(TokenText.hash(whole), 0, DIGEST_BYTES))
                        .toString();
    }

    private static boolean isHidden(char c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    private static JsonObject logged(Operation operation, JsonObject body) {
        if (operation.unlogged().isEmpty()) {
            return body;
        }
        JsonObject rest = new JsonObject();
        body.forEach(member -> {
            if (!operation.unlogged().contains(member.getKey())) {
                rest.put(member.getKey(), member.getValue());
            }
        });
        return rest;
    }

    private static int most(Operation operation, int status, RecordBudget.Room room) {
        if (room != RecordBudget.Room.WHOLE) {
            return MAX_SHORT_CHARS;
        }
        return status == FORBIDDEN
                ? MAX_REFUSED_CHARS
                : operation.id().equals(SETS_RULES) ? MAX_RULES_CHARS : MAX_CHARS;
    }

    /**
     * @param budget what the caller may still write; charged each time the line is made
     * @return makes the line from the status, on any thread; {@link AuditLog#UNKNOWN} for an unknown outcome
     */
    static IntFunction<String> line(
            RecordBudget budget,
            Principal who,
            String address,
            Operation operation,
            JsonObject parameters,
            JsonObject body) {
        return status -> {
            int most = most(operation, status, budget.room(who.share()));
            String line = "by=" + who.name()
                    + " kind=" + who.kind().name().toLowerCase(Locale.ROOT)
                    + " role=" + who.role().spelled()
                    + " tenant=" + who.tenant().orElse("-")
                    + " source=" + who.source()
                    + " address=" + address
                    + " operation=" + operation.id()
                    + " parameters=" + text(parameters, most)
                    + " body=" + text(logged(operation, body), most)
                    + " status=" + (status == AuditLog.UNKNOWN ? "unknown" : status);
            budget.charge(who.share(), line.getBytes(StandardCharsets.UTF_8).length + MAX_PREFIX_BYTES);
            return line;
        };
    }
}
