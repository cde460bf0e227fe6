package io.godwit.api.route;

import io.godwit.api.audit.AuditLog;
import io.godwit.api.auth.Principal;
import io.godwit.api.contract.Operation;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * Lines of the audit log: the caller, the operation and its outcome. Values that a client chose are written as JSON, so
 * that they cannot begin a new line, and without characters that move a terminal's cursor. Long texts are cut: a caller
 * must not push out the records of others.
 */
final class Audit {
    private static final int FORBIDDEN = 403;

    /** Bounds the parameters, and the body. A full set of access rules takes a body of 16 KB. */
    static final int MAX_CHARS = 20_000;

    /** The same for a request that was refused as forbidden. */
    static final int MAX_REFUSED_CHARS = 512;

    /** The same for a token of a tenant: such tokens cannot set rules, and there may be many of them. */
    static final int MAX_TENANT_CHARS = 2_000;

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
                : text.append("... of ").append(whole.length()).toString();
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

    /** @return makes the line from the status, on any thread; {@link AuditLog#UNKNOWN} for an unknown outcome */
    static IntFunction<String> line(
            Principal who, String address, Operation operation, JsonObject parameters, JsonObject body) {
        return status -> {
            int most =
                    status == FORBIDDEN ? MAX_REFUSED_CHARS : who.tenant().isPresent() ? MAX_TENANT_CHARS : MAX_CHARS;
            return "by=" + who.name()
                    + " kind=" + who.kind().name().toLowerCase(Locale.ROOT)
                    + " role=" + who.role().spelled()
                    + " address=" + address
                    + " operation=" + operation.id()
                    + " parameters=" + text(parameters, most)
                    + " body=" + text(logged(operation, body), most)
                    + " status=" + (status == AuditLog.UNKNOWN ? "unknown" : status);
        };
    }
}
