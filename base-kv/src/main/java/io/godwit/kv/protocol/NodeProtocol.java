package io.godwit.kv.protocol;

import io.godwit.cluster.link.message.VersionRange;
import io.godwit.cluster.member.Member;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The versions of the messages between nodes ({@code node_protocol.proto}) that a process supports. Immutable.
 *
 * <p>Each process announces its versions to the other members. A caller uses the highest version that it and the other
 * process support, and the other one serves the messages of all its versions. So the choice is made before the first
 * message, it lasts as long as that process, and nothing is sent that the other end does not know. Each version has its
 * own gRPC methods if the messages before cannot be told from it.
 *
 * <ul>
 *   <li>1: the layouts of {@link io.godwit.kv.protocol.legacy}. A member that announces no versions supports only this
 *   <li>2: protobuf
 * </ul>
 *
 * @param versions the versions that the process supports
 */
public record NodeProtocol(VersionRange versions) {
    /** The newest version of this build. */
    public static final int VERSION = 2;
    /** The oldest version of this build. */
    public static final int LEAST_VERSION = 1;
    /** Protobuf; up to it, each version has its own methods. */
    public static final int PROTOBUF = 2;

    public static final NodeProtocol CURRENT = new NodeProtocol(new VersionRange(LEAST_VERSION, VERSION));

    /** A build from before protobuf, which announces nothing. */
    public static final NodeProtocol BEFORE_PROTOBUF = new NodeProtocol(new VersionRange(1, 1));

    /** The member attribute with the versions, such as {@code 1-2}. */
    private static final String ATTRIBUTE = "node-protocol";

    private static final Pattern ANNOUNCED = Pattern.compile("([0-9]{1,6})-([0-9]{1,6})");

    /** The attributes by which a process announces its versions. */
    public Map<String, String> announcement() {
        return equals(BEFORE_PROTOBUF) ? Map.of() : Map.of(ATTRIBUTE, versions.least() + "-" + versions.most());
    }

    public boolean includes(int version) {
        return versions.includes(version);
    }

    /** Which of the two forms of a message the process serves: that of version 1, and that since protobuf. */
    public <F> List<F> served(F legacy, F protobuf) {
        if (versions.most() < PROTOBUF) {
            return List.of(legacy);
        }
        return versions.least() < PROTOBUF ? List.of(legacy, protobuf) : List.of(protobuf);
    }

    /**
     * The version to use for calls to another node.
     *
     * @param other the node as it announced itself; null if it is unknown
     * @return 0 if there is no common version
     */
    public int agreedWith(@Nullable Member other) {
        String announced = other == null ? null : other.attributes().get(ATTRIBUTE);
        if (announced == null) {
            return versions.highestCommon(BEFORE_PROTOBUF.versions);
        }
        Matcher numbers = ANNOUNCED.matcher(announced);
        if (!numbers.matches()) {
            return 0;
        }
        int least = Integer.parseInt(numbers.group(1));
        int most = Integer.parseInt(numbers.group(2));
        return least < 1 || most < least ? 0 : versions.highestCommon(new VersionRange(least, most));
    }

    /** Why there is no version for calls to another node, for logs. */
    public String lackWith(@Nullable Member other) {
        return "this node supports " + versions + " of the messages between nodes, "
                + (other == null
                        ? "the other is unknown"
                        : other.nodeId() + " announces " + other.attributes().getOrDefault(ATTRIBUTE, "1-1"));
    }
}
