package io.godwit.mqtt.auth;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientInfo;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the auth provider and treats a missing answer (an exception, a null, a failure, a timeout) as a refusal with an
 * event. The returned futures therefore never fail and never yield null; they complete on the provider's threads. Also
 * counts and reports every refusal. Any thread.
 */
public final class Authorizer {
    /** Denies a publish or a filter for lack of an answer: valid for this one time only. */
    static final AuthDecision NO_ANSWER = new AuthDecision.Denied("the auth provider gave no answer");

    private static final Logger LOG = LoggerFactory.getLogger(Authorizer.class);
    private static final ConnectResult NO_RESULT =
            new ConnectResult.Refused(RefusalReason.UNAVAILABLE, "the auth provider gave no answer");
    /** The result when every provider answered "undecided". */
    private static final ConnectResult UNKNOWN =
            new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "no auth provider knows the client");

    private static final AuthDecision NO_RULES = new AuthDecision.Denied("no auth provider has rules for the client");

    private final AuthProvider provider;
    /** The same provider, if its answers can become invalid for single clients. */
    private final @Nullable ClientDecisions decisions;

    private final Set<AuthCheck> checks;
    private final AuthConfig config;
    private final MqttReports reports;

    public Authorizer(AuthProvider provider, AuthConfig config, MqttReports reports) {
        this.provider = provider;
        this.decisions = provider instanceof ClientDecisions ofClients ? ofClients : null;
        this.config = config;
        this.reports = reports;
        checks = EnumSet.noneOf(AuthCheck.class);
        checks.addAll(provider.checks());
    }

    /** Whether the provider implements {@code check}. */
    public boolean asks(AuthCheck check) {
        return checks.contains(check);
    }

    /** See {@link AuthConfig}. */
    public boolean disconnectsOnDeniedPublish() {
        return config.disconnectsOnDeniedPublish();
    }

    /** See {@link AuthConfig}. */
    public boolean keepsSessionsToUsers() {
        return config.keepsSessionsToUsers();
    }

    public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
        return guard(
                AuthCheck.CONNECT,
                request.client(),
                () -> provider.connect(request),
                NO_RESULT,
                ConnectResult.UNDECIDED,
                UNKNOWN);
    }

    /** Null when the provider does not know the method. */
    public @Nullable AuthExchange exchange(ExchangeRequest request) {
        try {
            return provider.exchange(request);
        } catch (RuntimeException | Error e) { // outermost frame of the provider
            failed(AuthCheck.CONNECT, request.client(), e);
            return data -> CompletableFuture.completedFuture(NO_RESULT);
        }
    }

    CompletableFuture<AuthStep> step(AuthExchange exchange, ClientInfo client, byte[] data) {
        return guard(
                AuthCheck.CONNECT, client, () -> exchange.onData(data), NO_RESULT, ConnectResult.UNDECIDED, UNKNOWN);
    }

    /** Tells {@code exchange} that it is over. */
    void close(AuthExchange exchange, ClientInfo client) {
        try {
            exchange.close();
        } catch (RuntimeException | Error e) { // outermost frame of the provider
            failed(AuthCheck.CONNECT, client, e);
        }
    }

    public CompletableFuture<AuthDecision> publish(PublishRequest request) {
        return guard(
                AuthCheck.PUBLISH,
                request.client(),
                () -> provider.publish(request),
                NO_ANSWER,
                AuthDecision.UNDECIDED,
                NO_RULES);
    }

    public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
        return guard(
                AuthCheck.SUBSCRIBE,
                request.client(),
                () -> provider.subscribe(request),
                NO_ANSWER,
                AuthDecision.UNDECIDED,
                NO_RULES);
    }

    /** See {@link AuthProvider#rulesVersion}; for this client, if the provider distinguishes clients. */
    long rulesVersion(ClientInfo client) {
        ClientDecisions ofClients = decisions;
        return ofClients == null ? provider.rulesVersion() : ofClients.rulesVersion(client);
    }

    /**
     * @param denial replaces a missing answer
     * @param undecided replaced by {@code unknown}, so that no caller takes it for an acceptance
     */
    private <T> CompletableFuture<T> guard(
            AuthCheck check, ClientInfo client, Supplier<CompletableFuture<T>> call, T denial, T undecided, T unknown) {
        @Nullable CompletableFuture<T> asked;
        try {
            asked = call.get();
        } catch (RuntimeException | Error e) { // outermost frame of the provider
            failed(check, client, e);
            return CompletableFuture.completedFuture(denial);
        }
        if (asked == null) {
            failed(check, client, "null instead of a future");
            return CompletableFuture.completedFuture(denial);
        }
        if (asked.isDone() && !asked.isCompletedExceptionally() && asked.getNow(null) != null) {
            return undecided.equals(asked.getNow(null)) ? CompletableFuture.completedFuture(unknown) : asked;
        }
        return asked.copy() // a timeout must not complete the provider's own future
                .orTimeout(config.timeout().toMillis(), TimeUnit.MILLISECONDS)
                .handle((answer, failure) -> {
                    if (failure != null) {
                        failed(check, client, failure);
                        return denial;
                    }
                    if (answer == null) {
                        failed(check, client, "null instead of an answer");
                        return denial;
                    }
                    return undecided.equals(answer) ? unknown : answer;
                });
    }

    private void failed(AuthCheck check, ClientInfo client, Throwable cause) {
        LOG.debug(
                "auth provider failed check={} clientId={}",
                check,
                client.clientId().value(),
                cause);
        failed(check, client, cause.toString());
    }

    private void failed(AuthCheck check, ClientInfo client, String cause) {
        reports.authFailed(check, client, cause);
    }

    // ---- the reason codes of refusals

    /** Counts and reports a refused login; returns the reason code of its CONNACK. */
    public ReasonCode connectDenied(ClientInfo client, ConnectResult.Refused refused) {
        countDenied(client, refused);
        if (refused.equals(ClientDecisions.UNKNOWN_METHOD)) { // [MQTT5-4.12.0-1]
            return ReasonCode.BAD_AUTHENTICATION_METHOD;
        }
        return switch (refused.reason()) {
            case BAD_CREDENTIALS -> ReasonCode.BAD_USER_NAME_OR_PASSWORD;
            case NOT_AUTHORIZED -> ReasonCode.NOT_AUTHORIZED;
            case BANNED -> ReasonCode.BANNED;
            case BUSY -> ReasonCode.SERVER_BUSY;
            case UNAVAILABLE -> ReasonCode.SERVER_UNAVAILABLE;
        };
    }

    /**
     * Counts and reports a refused re-authentication; returns the reason code of the DISCONNECT, which has fewer codes.
     */
    public ReasonCode reauthenticationDenied(ClientInfo client, ConnectResult.Refused refused) {
        countDenied(client, refused);
        return switch (refused.reason()) {
            case BAD_CREDENTIALS, NOT_AUTHORIZED, BANNED -> ReasonCode.NOT_AUTHORIZED;
            case BUSY -> ReasonCode.SERVER_BUSY;
            case UNAVAILABLE -> ReasonCode.UNSPECIFIED_ERROR;
        };
    }

    private void countDenied(ClientInfo client, ConnectResult.Refused refused) {
        reports.connectDenied(client, refused.reason(), refused.detail());
    }

    /** Counts and reports a denied publish. */
    public void publishDenied(ClientInfo client, String topic, boolean isWill, AuthDecision.Denied denied) {
        reports.publishDenied(client, topic, isWill, denied.detail());
    }

    /** Counts and reports a denied filter. */
    public void subscribeDenied(ClientInfo client, String filter, AuthDecision.Denied denied) {
        reports.subscribeDenied(client, filter, denied.detail());
    }
}
