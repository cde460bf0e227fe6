package io.godwit.cluster.member;

import static io.godwit.cluster.TestNodes.await;
import static io.godwit.cluster.TestNodes.awaitMembers;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.TestNodes;
import io.godwit.cluster.TestNodes.Node;
import io.godwit.cluster.config.HostPort;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.NioMessage;
import org.jgroups.ObjectMessage;
import org.jgroups.util.ObjectWrapperPrimitive;
import org.junit.jupiter.api.Test;

/** Anyone who reaches the membership's port of a cluster without TLS can send messages that members never send. */
class HostileMemberTest {
    private static final AtomicInteger DESERIALIZED = new AtomicInteger();

    /** Stands for a gadget class: reading it runs its code. */
    private static final class Canary implements Serializable {
        private static final long serialVersionUID = 1;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            DESERIALIZED.incrementAndGet();
        }
    }

    /** JGroups has no number for this class, so its name is sent and an object of it is made. */
    public static final class ByName extends ObjectWrapperPrimitive {
        private static final AtomicInteger MADE = new AtomicInteger();

        public ByName() {
            MADE.incrementAndGet();
        }
    }

    @Test
    void noObjectIsReadOrMadeForAStranger() throws Exception {
        try (TestNodes nodes = new TestNodes(1)) {
            Node node = nodes.start(1);
            awaitMembers(List.of(node), "n1");
            InetAddress here = InetAddress.getByName("127.0.0.9");
            try (SeedResolver seeds = new SeedResolver(
                            nodes.config(9, "", List.of(new HostPort("127.0.0.1", nodes.port()))),
                            InetAddress::getAllByName);
                    JChannel attacker = MembershipStack.create(
                            here, nodes.port(), new MemberSockets(here, null), seeds, TestNodes.QUICK)) {
                seeds.start(1_000, 5_000);
                attacker.connect("godwit:test");
                await(() -> attacker.getView().size() == 2, () -> "the attacker is in the group");
                Address victim = attacker.getView().getCoord();
                assertThat(victim).isNotEqualTo(attacker.getAddress());
                ByName sent = new ByName();
                List<Message> attacks = List.of(
                        new ObjectMessage(victim, new Canary()),
                        new ObjectMessage(victim, sent),
                        new NioMessage(victim, ByteBuffer.allocate(10)));
                int made = ByName.MADE.get();
                for (Message attack : attacks) {
                    for (Message.Flag[] flags : new Message.Flag[][] {
                        {Message.Flag.OOB, Message.Flag.NO_RELIABILITY}, {Message.Flag.NO_RELIABILITY}
                    }) {
                        long refused = AcceptedMessages.refused();
                        await(
                                () -> {
                                    // repeated, because a refusal ends the connection, and messages right after it are
                                    // lost
                                    send(
                                            attacker,
                                            attack.copy(true, true)
                                                    .setDest(victim)
                                                    .setFlag(flags));
                                    return AcceptedMessages.refused() > refused
                                            || DESERIALIZED.get() > 0
                                            || ByName.MADE.get() > made;
                                },
                                () -> "not refused: " + attack);
                    }
                }
                assertThat(DESERIALIZED).hasValue(0);
                assertThat(ByName.MADE).hasValue(made);
            }
            Node second = nodes.start(2);
            awaitMembers(List.of(node, second), "n1", "n2");
        }
    }

    private static void send(JChannel attacker, Message attack) {
        try {
            attacker.send(attack);
        } catch (Exception e) { // JGroups declares Exception; the next message may pass
            assertThat(attacker.isClosed()).as("%s", e).isFalse();
        }
    }
}
