package io.godwit.api.route;

import io.godwit.api.audit.AuditLog;
import io.godwit.api.auth.Principal;
import io.godwit.api.contract.Operation;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * Lines of the record of changes: who has asked for what, and what became of it. What a
 * client chose is written as JSON, so that it cannot begin a line of its own, and without what moves the cursor of a
 * terminal. A text is cut: whoever may ask must not push out what others have done.
 */
final class Audit {
    private static final int FORBIDDEN = 403;

    /** Of the parameters, and of the body. All rules of access are a body of 16 KB. */
    static final int MAX_CHARS = 20_000;

    /** Of a request that was refused since the caller may not do that. */
    static final int MAX_REFUSED_CHARS = 512;

    /** Of a token of a tenant: nobody who has one sets rules, and many may have one. */
    static final int MAX_TENANT_CHARS = 2_000;

    private Audit() {}

    /** JSON of one line of visible characters. */
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

    /** @return makes the line out of the status, on any thread; 0 for one that is not known */
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
