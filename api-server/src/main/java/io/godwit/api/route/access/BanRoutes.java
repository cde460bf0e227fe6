package io.godwit.api.route.access;

import io.godwit.api.auth.Principal;
import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.api.port.access.BanAdmin.BanKey;
import io.godwit.api.port.access.BanAdmin.Kind;
import io.godwit.api.port.access.BanAdmin.Made;
import io.godwit.api.route.Absence;
import io.godwit.api.route.Call;
import io.godwit.api.route.Cursors;
import io.godwit.api.route.MqttText;
import io.godwit.api.route.Refused;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Bans, of operators and automatic ones. */
public final class BanRoutes {
    private static final String LIST = "bans";

    private final BanAdmin bans;

    private BanRoutes(BanAdmin bans) {
        this.bans = bans;
    }

    public static void add(Routes routes, BanAdmin bans) {
        BanRoutes here = new BanRoutes(bans);
        routes.add("listBans", here::list);
        routes.add("ban", here::ban);
        routes.add("unban", here::unban);
    }

    private CompletableFuture<Reply> list(Call call) {
        BanAdmin.BanFilter filter = new BanAdmin.BanFilter(
                call.tenantFilter(),
                call.text("kind").map(BanRoutes::kind),
                Optional.ofNullable(call.parameters().getBoolean("automatic")));
        BanKey after = Cursors.position(call, LIST, 2)
                .map(position -> new BanKey(position.get(0), position.get(1)))
                .orElse(null);
        return bans.bans(filter, after, call.number("limit"), call.within()).thenApply(answer -> {
            JsonObject json = new JsonObject()
                    .put("items", Json.array(answer.value().items()))
                    .put("missingNodes", Json.array(answer.missingNodes()));
            BanKey next = answer.value().next();
            if (next != null) {
                json.put("next", Cursors.of(LIST, next.id(), next.node()));
            }
            return Reply.json(json);
        });
    }

    private static Kind kind(String text) {
        return Kind.valueOf(text.toUpperCase(Locale.ROOT));
    }

    private CompletableFuture<Reply> ban(Call call) {
        JsonObject body = call.body();
        Kind kind = kind(body.getString("kind"));
        if (kind == Kind.ADDRESS) {
            requireAllTenants(call);
        }
        return make(
                        bans,
                        call,
                        kind,
                        "subject",
                        body.getString("subject"),
                        body.getLong("seconds"),
                        body.getString("reason", ""))
                .thenApply(made -> Reply.json(made.isNew() ? 201 : 200, item(made)));
    }

    /** An address belongs to no tenant: it may be a gateway that several tenants share. */
    private static void requireAllTenants(Call call) {
        if (call.isTenantBound()) {
            throw new ProblemException(Problem.forbidden(
                    "a token that is bound to a tenant may not ban addresses, which all tenants use"));
        }
        if (call.text("tenant").isPresent()) {
            throw new ProblemException(Problem.invalid("tenant", "cannot be given for an address"));
        }
    }

    public static JsonObject item(Made made) {
        return new JsonObject().put("item", Json.object(made.ban()));
    }

    /**
     * Makes the ban for a call.
     *
     * @param field the field that the subject comes from
     * @param seconds null for no end
     */
    public static CompletableFuture<Made> make(
            BanAdmin bans, Call call, Kind kind, String field, String subject, @Nullable Long seconds, String reason) {
        if (MqttText.string(field, subject).isEmpty()
                || MqttText.utf8(field, subject).length > BanAdmin.MAX_SUBJECT_BYTES) {
            throw MqttText.wrong(field, "must have 1 to " + BanAdmin.MAX_SUBJECT_BYTES + " bytes to be banned");
        }
        MqttText.string("reason", reason);
        BanAdmin.Wanted wanted = new BanAdmin.Wanted(
                call.tenant(),
                kind,
                subject,
                seconds == null ? OptionalLong.empty() : OptionalLong.of(seconds),
                reason,
                call.caller().map(Principal::name).orElse(""),
                call.isTenantBound());
        CompletableFuture<Made> made = Refused.as(
                bans.ban(wanted, call.within()), wrong -> MqttText.wrong(field, String.valueOf(wrong.getMessage())));
        return Refused.as(made, LimitReachedException.class, BanRoutes::full);
    }

    public static ProblemException full(LimitReachedException full) {
        return new ProblemException(
                new Problem(409, "limit-reached", "There is no room for more", String.valueOf(full.getMessage())));
    }

    private CompletableFuture<Reply> unban(Call call) {
        Optional<String> tenant = call.caller().flatMap(Principal::tenant);
        return bans.unban(tenant, call.parameters().getString("id"), call.within())
                .thenApply(lifted -> {
                    if (lifted.value() && !lifted.missingNodes().isEmpty()) {
                        throw new ProblemException(Problem.nodesMissing(
                                "it is lifted on nodes that answered; others did not, and may have it",
                                lifted.missingNodes()));
                    }
                    if (!lifted.value()) {
                        throw Absence.of(lifted, "there is no ban of that id");
                    }
                    return Reply.done();
                });
    }
}
