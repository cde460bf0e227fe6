package io.godwit.api.route;

import io.godwit.api.auth.Principal;
import io.godwit.api.contract.Operation;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of changes, by the logger {@code io.godwit.audit}: who has asked for what, and what became of it. What a
 * client chose is written as JSON, so that it cannot begin a line of its own.
 */
final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger("io.godwit.audit");

    private Audit() {}

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

    static void write(
            Principal who, String address, Operation operation, JsonObject parameters, JsonObject body, int status) {
        LOG.info(
                "by={} kind={} role={} address={} operation={} parameters={} body={} status={}",
                who.name(),
                who.kind().name().toLowerCase(Locale.ROOT),
                who.role().spelled(),
                address,
                operation.id(),
                Json.encode(parameters),
                Json.encode(logged(operation, body)),
                status);
    }
}
