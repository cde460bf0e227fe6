package io.godwit.mqtt.session.core;

import io.godwit.dist.client.Publisher;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.subscribe.RetainedReplay;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.tenant.TenantSetting;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a session know: its client, its connection, its terms, and the settings of its tenant. Confined to
 * the connection's event loop.
 *
 * <p>The parts, such as {@code PublishIntake}, see their session as this class. So none of them depends on a class that
 * uses it. It is a base class and not an object of its own, because it would be one more object per connection.
 */
public abstract class SessionCore {
    public final Connection connection;
    public final SessionServices services;
    public final SessionTerms terms;
    public final Publisher publisher;
    public final TenantAccount account;
    /** The tenant's settings at the beginning: values announced in CONNACK stay in force for the whole connection. */
    public final TenantPolicy agreed;
    /** The tenant's present settings. Replaced when they change. */
    private TenantPolicy policy;

    /** The grant of the last authentication. */
    private @Nullable Object grant;

    protected SessionCore(Connection connection, SessionServices services, SessionTerms terms) {
        this.connection = connection;
        this.services = services;
        this.terms = terms;
        this.grant = terms.grant();
        this.publisher = services.dist.publisher(terms.client(), connection.sharedPick(), connection.loop());
        this.agreed = services.policies().of(terms.client().tenant());
        this.policy = agreed;
        this.account =
                services.policies().tenants().accounts().of(terms.client().tenant());
        limitRates();
        connection.shareRates(account);
    }

    public final Connection connection() {
        return connection;
    }

    public final ClientInfo client() {
        return terms.client();
    }

    public final ClientTopics topics() {
        return terms.topics();
    }

    public final @Nullable Object grant() {
        return grant;
    }

    /** The client has authenticated again. */
    public final void renewGrant(@Nullable Object next) {
        grant = next;
    }

    /** The counts of its loop. */
    public final LoopCounts counts() {
        return services.countsOf(connection.loop());
    }

    // ---- tenant settings

    public final TenantPolicy policy() {
        return policy;
    }

    public final TenantAccount account() {
        return account;
    }

    /** The settings that CONNACK announces. */
    public final TenantPolicy agreed() {
        return agreed;
    }

    /** Applies the present settings of the tenant, which may have changed. */
    @SuppressWarnings("ReferenceEquality") // the same object until something changes
    public final void retune() {
        TenantPolicy next = services.policies().of(client().tenant());
        if (next != policy) {
            policy = next;
            limitRates();
            policyChanged();
        }
    }

    private void limitRates() {
        connection.limitRates(
                policy.ofTenant(TenantSetting.MAX_BANDWIDTH_IN),
                policy.ofTenant(TenantSetting.MAX_BANDWIDTH_OUT),
                policy.ofTenant(TenantSetting.MAX_PUBLISH_RATE));
    }

    /** Called when {@link #policy} has changed. */
    protected void policyChanged() {}

    // ---- rules for messages

    /** Whether to retain the message now; a delayed one is retained when it is published. */
    public final boolean mustRetain(Message message) {
        return message.retain() && !services.topicRules().isDelayed(message.topic());
    }

    protected final boolean isExpired(Message message) {
        return message.properties().messageExpirySeconds() >= 0 && message.isExpired(services.nowMillis());
    }

    /**
     * Counts and reports that retained messages for a subscription could not be read or passed on now; they are tried
     * again.
     */
    public final void replayDelayed(RetainedReplay replay, Throwable cause) {
        services.reports.replayDelayed(client(), replay.filter().text(), String.valueOf(cause.getMessage()));
    }

    /** The tenant's limit of retained messages for a new subscription; 0 for none. */
    public final long maxRetainedMatches() {
        return policy.number(TenantSetting.MAX_RETAINED_MATCHES);
    }

    /** Counts and reports that a new subscription does not get all retained messages, because of that limit. */
    public final void replayLimited(RetainedReplay replay, long most) {
        services.reports.replayLimited(client(), replay.filter().text(), most);
    }

    // ---- the end

    /** Whether the connection is over. */
    public abstract boolean isClosed();

    /** Whether nothing of this session can take effect any more. */
    public abstract boolean isEnded();

    /** The intake has no more publishes under way. */
    public abstract void intakeQuiet();
}
