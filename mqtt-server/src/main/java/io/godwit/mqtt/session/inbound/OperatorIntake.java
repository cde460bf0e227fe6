package io.godwit.mqtt.session.inbound;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.mqtt.tenant.TenantPolicies;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.PublishRefusalCause;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.throttle.TenantResource;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Holds messages of operators to the limits of their tenant, as {@link PublishIntake} does for clients, with the same
 * counters and events. There is no connection to slow down, so a message over a rate is refused. Any thread.
 */
public final class OperatorIntake {
    private final TenantPolicies policies;
    private final TopicRules topicRules;
    private final MqttReports reports;

    /** Uses the present configuration of {@code services}. */
    public OperatorIntake(SessionServices services) {
        this.policies = services.policies();
        this.topicRules = services.topicRules();
        this.reports = services.reports();
    }

    /** Whether a message may be published. */
    public sealed interface Answer {
        /**
         * It may.
         *
         * @param retained the caller runs it when the retain store has the message or will never get it
         */
        record Admitted(Runnable retained) implements Answer {}

        /**
         * It may not.
         *
         * @param code the reason code that a client would get
         * @param by the setting that forbids it; a plugin may have set a lower quota
         * @param most the limit
         * @param waitNanos if it is a rate, how long it allows no other message; else 0
         */
        record Refused(ReasonCode code, TenantSetting by, long most, long waitNanos) implements Answer {}

        /** The tenant does not exist, or the node has too many. */
        record NoTenant(TenantAnswer why) implements Answer {}
    }

    /** Completes on any thread; fails if the settings of the tenant are not known now. */
    public CompletableFuture<Answer> admit(ClientInfo publisher, Message message) {
        return policies.tenants()
                .said(publisher.tenant())
                .thenApply(known ->
                        known == TenantAnswer.KNOWN ? decided(publisher, message) : new Answer.NoTenant(known));
    }

    private Answer decided(ClientInfo publisher, Message message) {
        TenantPolicy policy = policies.of(publisher.tenant());
        TenantSetting topicOver = policy.exceededBy(message.topic());
        if (topicOver != null) {
            return refused(
                    publisher,
                    message,
                    PublishRefusalCause.TOPIC_LIMIT,
                    new Answer.Refused(ReasonCode.TOPIC_NAME_INVALID, topicOver, policy.number(topicOver), 0));
        }
        ReasonCode code = policy.refusal(
                message.qos(),
                message.retain(),
                message.payload(),
                message.properties().payloadFormat());
        if (code != null) {
            TenantSetting by = settingOf(code);
            return refused(
                    publisher,
                    message,
                    PublishRefusal.ofPolicy(code).cause(),
                    new Answer.Refused(code, by, policy.number(by), 0));
        }
        TenantAccount account = policies.tenants().accounts().of(publisher.tenant());
        TenantSetting rate = account.takeDirect(
                bytesOf(message),
                policy.ofTenant(TenantSetting.MAX_PUBLISH_RATE).orElse(0),
                policy.ofTenant(TenantSetting.MAX_BANDWIDTH_IN).orElse(0));
        if (rate != null) {
            return tooFast(publisher, message, rate, account, policy);
        }
        if (topicRules.isDelayed(message.topic()) && !account.hasRoomForDelayed()) {
            return overQuota(
                    publisher,
                    message,
                    TenantSetting.MAX_DELAYED_MESSAGES,
                    TenantResource.DELAYED_MESSAGES,
                    account.most(TenantResource.DELAYED_MESSAGES),
                    0);
        }
        return isLimited(message, account)
                ? retained(publisher, message, account)
                : new Answer.Admitted(OperatorIntake::doNothing);
    }

    private static TenantSetting settingOf(ReasonCode code) {
        return switch (code) {
            case QOS_NOT_SUPPORTED -> TenantSetting.MAX_QOS;
            case RETAIN_NOT_SUPPORTED -> TenantSetting.RETAIN;
            case QUOTA_EXCEEDED -> TenantSetting.MAX_PAYLOAD_BYTES;
            case PAYLOAD_FORMAT_INVALID -> TenantSetting.CHECK_PAYLOAD_FORMAT;
            default -> throw new IllegalStateException("no setting of a tenant refuses with " + code);
        };
    }

    /** About the size of the PUBLISH of a client. */
    private static int bytesOf(Message message) {
        return message.payload().length + message.topic().getBytes(StandardCharsets.UTF_8).length;
    }

    private Answer tooFast(
            ClientInfo publisher, Message message, TenantSetting rate, TenantAccount account, TenantPolicy policy) {
        TenantResource ofTenant = resourceOf(rate);
        long waitNanos = account.directWaitNanos(rate);
        if (ofTenant != null) {
            return overQuota(publisher, message, rate, ofTenant, account.most(ofTenant), waitNanos);
        }
        return refused(
                publisher,
                message,
                PublishRefusalCause.RATE_LIMIT,
                new Answer.Refused(ReasonCode.QUOTA_EXCEEDED, rate, policy.number(rate), waitNanos));
    }

    private static @Nullable TenantResource resourceOf(TenantSetting rate) {
        return switch (rate) {
            case MAX_TENANT_PUBLISH_RATE -> TenantResource.PUBLISH_RATE;
            case MAX_TENANT_BANDWIDTH_IN -> TenantResource.PUBLISH_BYTES;
            default -> null;
        };
    }

    /** Whether it adds to the retained messages of a tenant with a limit on them. */
    private boolean isLimited(Message message, TenantAccount account) {
        return message.retain()
                && message.payload().length > 0
                && account.limitsRetained()
                && !topicRules.isDelayed(message.topic());
    }

    private Answer retained(ClientInfo publisher, Message message, TenantAccount account) {
        int bytes = message.payload().length;
        TenantResource over = account.retaining(message.topic(), bytes);
        if (over == null) {
            return new Answer.Admitted(() -> account.retained(bytes));
        }
        TenantSetting by = over == TenantResource.RETAINED_MESSAGES
                ? TenantSetting.MAX_RETAINED_MESSAGES
                : TenantSetting.MAX_RETAINED_BYTES;
        return overQuota(publisher, message, by, over, account.most(over), 0);
    }

    private Answer overQuota(
            ClientInfo publisher,
            Message message,
            TenantSetting by,
            TenantResource resource,
            long most,
            long waitNanos) {
        reports.tenantLimitReached(publisher, resource, most);
        return refused(
                publisher,
                message,
                PublishRefusalCause.TENANT_LIMIT,
                new Answer.Refused(ReasonCode.QUOTA_EXCEEDED, by, most, waitNanos));
    }

    private Answer refused(ClientInfo publisher, Message message, PublishRefusalCause cause, Answer.Refused why) {
        reports.publishRefused(publisher, message.topic(), cause, why.code().name());
        return why;
    }

    private static void doNothing() {
        // nothing was counted
    }
}
