package io.godwit.broker.settings.cluster;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Unit;

/**
 * {@code clusterConfig.waits}. Each key is named after a {@link io.godwit.plugin.event.NodeWait}. The defaults of waits
 * whose end refuses or disconnects clients are at least {@link io.godwit.kv.client.SilentNode#PATIENCE}.
 */
public record ClusterWaitsSection(
        @ConfigKey(value = "5", min = 1, max = 300, unit = Unit.SECONDS, text = """
                    How long a SUBACK waits until each other node has confirmed the subscription. Then the others are
                    asked to go on without the silent node, which closes its clients. While they cannot agree on that,
                    as without a leader of the routes, they are asked again, for 15 seconds; then the SUBSCRIBE fails.
                    An UNSUBACK of a stored session waits for the same, and so does a QoS 2 publish that is resumed and
                    may be for a shared group, but for sharedChoiceSeconds at most.
                    """)
        int confirmationSeconds,

        @ConfigKey(value = "20", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long a QoS 2 publish that is resumed, and may be for a shared group, waits until the other nodes
                    have said which members they have chosen for it. Then it is refused. At least 15 seconds more than
                    confirmationSeconds: in that time the others go on without a silent node.
                    """)
        int sharedChoiceSeconds,

        @ConfigKey(value = "20", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long a SUBSCRIBE or UNSUBSCRIBE of a stored session waits until the dist store has taken it.
                    Then it fails.
                    """)
        int routeSeconds,

        @ConfigKey(value = "15", min = 1, max = 300, unit = Unit.SECONDS, text = """
                    How long this node holds acknowledgements of publishes and subscriptions while it cannot prove that
                    it knows all subscriptions. Then it refuses them.
                    """)
        int proofSeconds,

        @ConfigKey(value = "15", min = 2, max = 300, unit = Unit.SECONDS, text = """
                    How long a CONNECT waits for its client id, on whichever node another connection has it. Then it is
                    refused; at once on a node that does not serve. The others need about 15 seconds to go on without a
                    node that is silent.
                    """)
        int clientIdSeconds,

        @ConfigKey(value = "5", min = 1, max = 299, unit = Unit.SECONDS, text = """
                    How long a member may be without a link while a CONNECT or a node that joins waits for it. Then the
                    others are asked to go on without it. Less than clientIdSeconds.
                    """)
        int silentMemberSeconds,

        @ConfigKey(value = "20", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long a request to a stored session waits for a node that leads its inbox. Then it fails: a
                    publish is refused or left without an acknowledgement.
                    """)
        int homeSeconds,

        @ConfigKey(value = "20", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long a client with a stored session stays connected while the next leader of its inbox is
                    looked for, when the last one was stopped in good order, and when the last one was lost with its
                    node. Each counts whole attempts, which end after homeSeconds. On a node alone the first one holds
                    for a range that is cut or joined.
                    """)
        int homeMovedSeconds,

        @ConfigKey(value = "30", min = 1, max = 3_600, unit = Unit.SECONDS)
        int homeLostSeconds,

        @ConfigKey(value = "25", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long a new leader of an inbox waits for the connection of a session that is stored as
                    connected. Then the session counts as disconnected, and its will becomes due. Longer than
                    linkSeconds: a node that has lost only the leader before keeps its clients until then.
                    """)
        int connectionSeconds,

        @ConfigKey(value = "20", min = 5, max = 3_600, unit = Unit.SECONDS, text = """
                    How long a link to another node may be broken. Then what was sent over it and not confirmed counts
                    as lost, and the others are asked to go on without that node.
                    """)
        int linkSeconds,

        @ConfigKey(value = "30", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long a publish of QoS 1 or 2 for clients of another node waits for room in the link to that
                    node, which is full or broken. Then it is refused. Longer than linkSeconds: so the end of the link
                    to a lost node ends the wait, and nothing is refused.
                    """)
        int heldMessageSeconds,

        @ConfigKey(value = "20", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long a write or a read of retained messages may take.
                    """)
        int retainedSeconds,

        @ConfigKey(value = "5", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long a node that is stopped hands over what it leads, and then waits until the others agree that
                    it leaves. Each takes some tens of milliseconds while the others are well.
                    """)
        int handOverSeconds,

        @ConfigKey(value = "2", min = 1, max = 3_600, unit = Unit.SECONDS)
        int leaveSeconds) {}
