package io.godwit.mqtt.tenant;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Every setting with its value: that of the tenant, or that of the node where the tenant has none. Immutable; shared by
 * all sessions it applies to. A session reads it through one field.
 */
public final class TenantPolicy {
    private static final int ANY_LEVEL_BYTES = 65_535;
    private static final int UTF8 = 1;
    private static final int BYTES_OF_A_CHAR = 3;

    /** By {@link TenantSetting#ordinal}. */
    private final long[] values;

    private final TenantSettings said;
    private final TopicLimits limits;
    private final int maxLevelBytes;
    /** Whether a publish needs checks beyond its topic. */
    private final boolean looksAtPublishes;

    private TenantPolicy(long[] values, TenantSettings said) {
        this.values = values;
        this.said = said;
        limits = new TopicLimits(
                (int) number(TenantSetting.MAX_TOPIC_LEVELS),
                (int) number(TenantSetting.MAX_TOPIC_BYTES),
                (int) number(TenantSetting.MAX_FILTERS_PER_SUBSCRIBE),
                (int) number(TenantSetting.MAX_FILTERS),
                (int) number(TenantSetting.MAX_FILTER_PATTERNS));
        maxLevelBytes = (int) number(TenantSetting.MAX_TOPIC_LEVEL_BYTES);
        looksAtPublishes = maxQos() != Qos.EXACTLY_ONCE
                || !is(TenantSetting.RETAIN)
                || is(TenantSetting.CHECK_PAYLOAD_FORMAT)
                || number(TenantSetting.MAX_PAYLOAD_BYTES) < TenantSetting.MAX_PAYLOAD_BYTES.max();
    }

    /**
     * The policy of a tenant without settings.
     *
     * @param ofNode values of settings that the node has too; the others have their defaults
     */
    public static TenantPolicy ofNode(Map<TenantSetting, Long> ofNode) {
        long[] values = new long[TenantSetting.values().length];
        for (TenantSetting setting : TenantSetting.values()) {
            values[setting.ordinal()] = ofNode.getOrDefault(setting, setting.defaultValue());
        }
        return new TenantPolicy(values, TenantSettings.NONE);
    }

    /** The same with a tenant's settings, within the upper limits of the node. */
    public TenantPolicy with(TenantSettings tenants) {
        long[] own = values.clone();
        tenants.values().forEach((setting, value) -> own[setting.ordinal()] = value);
        for (TenantSetting bounded : List.of(TenantSetting.MAX_EXPIRY_SECONDS, TenantSetting.MAX_CLIENT_ID_BYTES)) {
            own[bounded.ordinal()] = Math.min(own[bounded.ordinal()], values[bounded.ordinal()]);
        }
        return new TenantPolicy(own, tenants);
    }

    public long number(TenantSetting setting) {
        return values[setting.ordinal()];
    }

    /** The value of a flag; for a choice whether it is not the first word. */
    public boolean is(TenantSetting setting) {
        return values[setting.ordinal()] != 0;
    }

    /** Only a value set for the tenant; empty where the listener's own value holds. */
    public OptionalLong ofTenant(TenantSetting setting) {
        return said.get(setting);
    }

    public TopicLimits limits() {
        return limits;
    }

    public Qos maxQos() {
        return Qos.of((int) number(TenantSetting.MAX_QOS));
    }

    /** Whether clients may use this protocol level. */
    public boolean allowsProtocol(int level) {
        return (number(TenantSetting.PROTOCOLS) & (1L << (level - 3))) != 0;
    }

    /** Whether the client id is short enough. */
    public boolean allowsClientId(String id) {
        long most = number(TenantSetting.MAX_CLIENT_ID_BYTES);
        return (long) id.length() * BYTES_OF_A_CHAR <= most || id.getBytes(StandardCharsets.UTF_8).length <= most;
    }

    /** Whether a topic, or the text of a filter, is within the limits. */
    public boolean allows(String topic) {
        return limits.allow(topic) && (maxLevelBytes == ANY_LEVEL_BYTES || hasShortLevels(topic));
    }

    /** The setting that a topic exceeds; null if none. */
    public @Nullable TenantSetting exceededBy(String topic) {
        if (allows(topic)) {
            return null;
        }
        if (!limits.allowLevels(topic)) {
            return TenantSetting.MAX_TOPIC_LEVELS;
        }
        return limits.allow(topic) ? TenantSetting.MAX_TOPIC_LEVEL_BYTES : TenantSetting.MAX_TOPIC_BYTES;
    }

    private boolean hasShortLevels(String topic) {
        int bytes = 0;
        for (int i = 0; i < topic.length(); i++) {
            char c = topic.charAt(i);
            // a surrogate pair has 4 bytes, so each surrogate counts as two
            bytes = c == '/' ? 0 : bytes + (c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3);
            if (bytes > maxLevelBytes) {
                return false;
            }
        }
        return true;
    }

    /**
     * Why a publish is refused, apart from its topic; null when it is not.
     *
     * @param payloadFormat as {@link io.godwit.plugin.message.MessageProperties#payloadFormat}
     */
    public @Nullable ReasonCode refusal(Qos qos, boolean retain, byte[] payload, int payloadFormat) {
        if (!looksAtPublishes) {
            return null;
        }
        if (qos.value() > number(TenantSetting.MAX_QOS)) {
            return ReasonCode.QOS_NOT_SUPPORTED;
        }
        if (retain && !is(TenantSetting.RETAIN)) {
            return ReasonCode.RETAIN_NOT_SUPPORTED;
        }
        if (payload.length > number(TenantSetting.MAX_PAYLOAD_BYTES)) {
            return ReasonCode.QUOTA_EXCEEDED;
        }
        return payloadFormat == UTF8 && is(TenantSetting.CHECK_PAYLOAD_FORMAT) && !isUtf8(payload)
                ? ReasonCode.PAYLOAD_FORMAT_INVALID
                : null;
    }

    private static boolean isUtf8(byte[] text) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** Why a filter is refused, apart from its length and the number of filters; null when it is not. */
    public @Nullable ReasonCode refusal(TopicFilter filter, boolean hasIdentifier) {
        if (hasIdentifier && !is(TenantSetting.SUBSCRIPTION_IDENTIFIERS)) {
            return ReasonCode.SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED;
        }
        if (filter.isShared() && !is(TenantSetting.SHARED)) {
            return ReasonCode.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED;
        }
        return !is(TenantSetting.WILDCARDS) && hasWildcard(filter.filter())
                ? ReasonCode.WILDCARD_SUBSCRIPTIONS_NOT_SUPPORTED
                : null;
    }

    private static boolean hasWildcard(String filter) {
        return filter.indexOf('+') >= 0 || filter.indexOf('#') >= 0;
    }

    /** The requested subscriptions, with no QoS above the highest allowed one. */
    public List<Subscription> granted(List<Subscription> asked) {
        Qos most = maxQos();
        if (most == Qos.EXACTLY_ONCE) {
            return asked;
        }
        return asked.stream()
                .map(s -> new Subscription(
                        s.filter(), Qos.min(s.qos(), most), s.noLocal(), s.retainAsPublished(), s.retainHandling()))
                .toList();
    }

    /** The Session Expiry Interval for a client that requests {@code seconds}. */
    public long expirySeconds(long seconds) {
        if (seconds == 0 || is(TenantSetting.FORCE_TRANSIENT)) {
            return 0;
        }
        return Math.min(
                Math.max(seconds, number(TenantSetting.MIN_EXPIRY_SECONDS)), number(TenantSetting.MAX_EXPIRY_SECONDS));
    }

    /**
     * The keep-alive for a client that requests {@code seconds}, 0 being none.
     *
     * @param isTold whether CONNACK can carry the value
     */
    public int keepAliveSeconds(int seconds, boolean isTold) {
        int imposed = (int) number(TenantSetting.SERVER_KEEP_ALIVE_SECONDS);
        int wanted = isTold && imposed > 0 ? imposed : seconds;
        return wanted == 0 ? 0 : Math.max(wanted, (int) number(TenantSetting.MIN_KEEP_ALIVE_SECONDS));
    }
}
