package io.godwit.mqtt.codec;

import io.godwit.mqtt.codec.field.VarInt;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.RetainHandling;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes valid packets of one protocol level from a seed: with properties at level 5 only, each absent half of the time.
 */
final class RandomPackets {
    /** Packets of a client, CONNECT first. */
    static final List<Class<? extends Packet>> FROM_CLIENT = List.of(
            Connect.class,
            Publish.class,
            PubAck.class,
            PubRec.class,
            PubRel.class,
            PubComp.class,
            Subscribe.class,
            Unsubscribe.class,
            PingReq.class,
            Disconnect.class,
            Auth.class);

    /** Packets that only a server sends, or sends in another form. */
    static final List<Class<? extends Packet>> FROM_SERVER = List.of(
            ConnAck.class, Publish.class, SubAck.class, UnsubAck.class, PingResp.class, Disconnect.class, Auth.class);

    /** A type that this side may send at any time. */
    static Class<? extends Packet> from(boolean fromClient, int level, Random random) {
        List<Class<? extends Packet>> types = fromClient ? FROM_CLIENT : FROM_SERVER;
        while (true) {
            Class<? extends Packet> type = types.get(random.nextInt(types.size()));
            boolean needs5 = type == Auth.class || type == Disconnect.class && !fromClient;
            if (type != Connect.class && (!needs5 || level == ProtocolLevel.MQTT_5)) {
                return type;
            }
        }
    }

    private final Random random;
    private final int level;
    private final boolean fromClient;

    RandomPackets(long seed, int level, boolean fromClient) {
        this.random = new Random(seed);
        this.level = level;
        this.fromClient = fromClient;
    }

    Packet next(Class<? extends Packet> type) {
        return switch (type.getSimpleName()) {
            case "Connect" -> connect();
            case "ConnAck" -> connAck();
            case "Publish" -> publish();
            case "PubAck" -> new PubAck(packetId(), ackCode(), reasonString(), userProperties());
            case "PubRec" -> new PubRec(packetId(), ackCode(), reasonString(), userProperties());
            case "PubRel" -> new PubRel(packetId(), releaseCode(), reasonString(), userProperties());
            case "PubComp" -> new PubComp(packetId(), releaseCode(), reasonString(), userProperties());
            case "Subscribe" ->
                new Subscribe(packetId(), atLeastOne(this::subscription), subscriptionId(), userProperties());
            case "SubAck" -> new SubAck(packetId(), atLeastOne(this::subAckCode), reasonString(), userProperties());
            case "Unsubscribe" -> new Unsubscribe(packetId(), atLeastOne(this::topicFilter), userProperties());
            case "UnsubAck" ->
                new UnsubAck(
                        packetId(),
                        isMqtt5() ? atLeastOne(this::unsubAckCode) : List.of(),
                        reasonString(),
                        userProperties());
            case "PingReq" -> PingReq.INSTANCE;
            case "PingResp" -> PingResp.INSTANCE;
            case "Disconnect" -> disconnect();
            case "Auth" -> auth();
            default -> throw new IllegalArgumentException("no packet " + type);
        };
    }

    private Connect connect() {
        boolean mqtt5 = isMqtt5();
        String userName = maybe(this::string);
        boolean passwordAllowed = mqtt5 || userName != null;
        String method = mqtt5 ? maybe(this::string) : null;
        return new Connect(
                level,
                random.nextBoolean(),
                random.nextInt(0x10000),
                "c" + string(),
                userName,
                passwordAllowed ? maybe(() -> bytes(20)) : null,
                maybe(this::will),
                u32(),
                mqtt5 ? oneOf(-1, 1, 10, 0xFFFF) : -1,
                mqtt5 ? oneOf(-1, 1, 1000, 0x7FFF_FFFF) : -1,
                mqtt5 ? oneOf(-1, 0, 1, 0xFFFF) : -1,
                mqtt5 && random.nextBoolean(),
                !mqtt5 || random.nextBoolean(),
                userProperties(),
                method,
                method == null ? null : maybe(() -> bytes(20)));
    }

    private WillPacket will() {
        long delaySeconds = isMqtt5() ? Math.max(0, u32()) : 0;
        return new WillPacket(topic(), bytes(30), qos(), random.nextBoolean(), messageProperties(), delaySeconds);
    }

    private ConnAck connAck() {
        if (!isMqtt5()) {
            ReasonCode code = ReasonCode.ofConnackReturnCode(random.nextInt(6));
            boolean present = level == ProtocolLevel.MQTT_3_1_1 && code == ReasonCode.SUCCESS && random.nextBoolean();
            return ConnAck.builder(present, code).build();
        }
        ReasonCode code = random.nextBoolean() ? ReasonCode.SUCCESS : ReasonCode.NOT_AUTHORIZED;
        return ConnAck.builder(code == ReasonCode.SUCCESS && random.nextBoolean(), code)
                .sessionExpirySeconds(u32())
                .receiveMaximum(oneOf(-1, 1, 0xFFFF))
                .maximumQos(oneOf(-1, 0, 1))
                .retainAvailable(random.nextBoolean())
                .maximumPacketSize(oneOf(-1, 1, 5000))
                .assignedClientId(maybe(this::string))
                .topicAliasMaximum(oneOf(-1, 0, 0xFFFF))
                .reasonString(reasonString())
                .userProperties(userProperties())
                .wildcardSubscriptionAvailable(random.nextBoolean())
                .subscriptionIdentifiersAvailable(random.nextBoolean())
                .sharedSubscriptionAvailable(random.nextBoolean())
                .serverKeepAliveSeconds(oneOf(-1, 0, 60, 0xFFFF))
                .responseInformation(maybe(this::string))
                .serverReference(maybe(this::string))
                .authentication(maybe(this::string), maybe(() -> bytes(20)))
                .build();
    }

    Publish publish() {
        Qos qos = qos();
        int alias = isMqtt5() ? oneOf(0, 1, 0xFFFF) : 0;
        boolean withoutTopic = alias != 0 && random.nextBoolean();
        boolean withIds = isMqtt5() && !fromClient && random.nextBoolean();
        return new Publish(
                qos == Qos.AT_MOST_ONCE ? 0 : packetId(),
                qos != Qos.AT_MOST_ONCE && random.nextBoolean(),
                qos,
                random.nextBoolean(),
                withoutTopic ? "" : topic(),
                alias,
                bytes(random.nextInt(10) == 0 ? 20_000 : 200),
                messageProperties(),
                withIds ? new int[] {1, VarInt.MAX, oneOf(127, 128, 16_384)} : Publish.NO_SUBSCRIPTION_IDS);
    }

    private Subscription subscription() {
        TopicFilter filter = topicFilter();
        if (!isMqtt5()) {
            return new Subscription(filter, qos());
        }
        boolean noLocal = !filter.isShared() && random.nextBoolean();
        return new Subscription(filter, qos(), noLocal, random.nextBoolean(), RetainHandling.of(random.nextInt(3)));
    }

    private Disconnect disconnect() {
        if (!isMqtt5()) {
            return Disconnect.NORMAL;
        }
        ReasonCode code = random.nextBoolean() ? ReasonCode.SUCCESS : ReasonCode.QUOTA_EXCEEDED;
        return new Disconnect(
                code,
                fromClient ? u32() : -1,
                reasonString(),
                userProperties(),
                fromClient ? null : maybe(this::string));
    }

    private Auth auth() {
        if (random.nextInt(5) == 0) {
            return new Auth(ReasonCode.SUCCESS, null, null, null, List.of());
        }
        ReasonCode code = random.nextBoolean() ? ReasonCode.SUCCESS : ReasonCode.CONTINUE_AUTHENTICATION;
        return new Auth(code, string(), maybe(() -> bytes(20)), reasonString(), userProperties());
    }

    MessageProperties messageProperties() {
        if (!isMqtt5() || random.nextBoolean()) {
            return MessageProperties.NONE;
        }
        return new MessageProperties(
                oneOf(-1, 0, 1),
                u32(),
                maybe(this::string),
                maybe(this::topic),
                maybe(() -> bytes(20)),
                userProperties());
    }

    private ReasonCode ackCode() {
        return isMqtt5() && random.nextBoolean() ? ReasonCode.NOT_AUTHORIZED : ReasonCode.SUCCESS;
    }

    private ReasonCode releaseCode() {
        return isMqtt5() && random.nextBoolean() ? ReasonCode.PACKET_IDENTIFIER_NOT_FOUND : ReasonCode.SUCCESS;
    }

    private ReasonCode subAckCode() {
        int choice = random.nextInt(4);
        return choice < 3 ? ReasonCode.of(choice) : ReasonCode.UNSPECIFIED_ERROR;
    }

    private ReasonCode unsubAckCode() {
        return random.nextBoolean() ? ReasonCode.SUCCESS : ReasonCode.NO_SUBSCRIPTION_EXISTED;
    }

    private TopicFilter topicFilter() {
        String text = switch (random.nextInt(5)) {
            case 0 -> "#";
            case 1 -> "+/" + topic() + "/#";
            case 2 -> "$share/group/" + topic();
            default -> topic();
        };
        return TopicFilter.parse(text).orElseThrow();
    }

    private @Nullable String reasonString() {
        return isMqtt5() ? maybe(this::string) : null;
    }

    private List<UserProperty> userProperties() {
        return isMqtt5() && random.nextBoolean() ? atLeastOne(() -> new UserProperty(string(), string())) : List.of();
    }

    private int subscriptionId() {
        return isMqtt5() ? oneOf(-1, 1, 127, 128, VarInt.MAX) : -1;
    }

    private long u32() {
        return isMqtt5() && random.nextBoolean() ? random.nextInt() & 0xFFFF_FFFFL : -1;
    }

    private int packetId() {
        return 1 + random.nextInt(0xFFFF);
    }

    private Qos qos() {
        return Qos.of(random.nextInt(3));
    }

    private String topic() {
        return "t/" + string().replace('+', '-').replace('#', '-');
    }

    /** Up to 20 characters from all planes, control characters and noncharacters included. */
    private String string() {
        StringBuilder text = new StringBuilder();
        int bound = oneOf(0x80, 0x80, 0x800, 0x10000, 0x11_0000);
        for (int left = random.nextInt(20); left > 0; left--) {
            int codePoint = 1 + random.nextInt(bound - 1);
            boolean surrogate = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
            text.appendCodePoint(surrogate ? 'x' : codePoint);
        }
        return text.toString();
    }

    private byte[] bytes(int most) {
        byte[] bytes = new byte[random.nextInt(most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    private <T> @Nullable T maybe(Supplier<T> value) {
        return random.nextBoolean() ? value.get() : null;
    }

    private <T> List<T> atLeastOne(Supplier<T> element) {
        List<T> list = new ArrayList<>();
        do {
            list.add(element.get());
        } while (random.nextInt(3) > 0);
        return list;
    }

    private int oneOf(int... values) {
        return values[random.nextInt(values.length)];
    }

    private boolean isMqtt5() {
        return level == ProtocolLevel.MQTT_5;
    }
}
