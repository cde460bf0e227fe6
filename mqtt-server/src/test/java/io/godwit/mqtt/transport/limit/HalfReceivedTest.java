package io.godwit.mqtt.transport.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class HalfReceivedTest {
    private static final int ROOM = 1 << 20;

    private final List<HalfPacket> admitted = new ArrayList<>();
    private final HalfReceived room = new HalfReceived(ROOM);

    private HalfPacket packet(int bytes, boolean isOpening) {
        return new HalfPacket(admitted::add, bytes, isOpening);
    }

    private HalfPacket entered(int bytes) {
        HalfPacket packet = packet(bytes, false);
        if (room.enter(packet)) {
            admitted.add(packet);
        }
        return packet;
    }

    @Test
    void whoWaitsIsAdmittedInOrderWhenThereIsRoom() {
        HalfPacket first = entered(ROOM / 4);
        HalfPacket second = entered(ROOM / 4);
        HalfPacket third = entered(ROOM / 4);
        HalfPacket fourth = entered(ROOM / 4);
        HalfPacket small = entered(10_000); // would fit, but must wait for its turn
        assertThat(admitted).containsExactly(first, second, third);

        room.leave(second);
        assertThat(admitted).containsExactly(first, second, third, fourth, small);
        assertThat(room.isWanted(first)).isFalse();
    }

    @Test
    void whoGivesUpWaitingMakesWayForThoseBehind() {
        List.of(1, 2, 3).forEach(each -> entered(ROOM / 4));
        HalfPacket large = entered(ROOM / 4);
        HalfPacket small = entered(10_000);
        assertThat(room.isWanted(small)).isTrue();

        room.leave(large);
        assertThat(admitted).endsWith(small);
        assertThat(room.waiting()).isZero();
    }

    /** It would block all others for as long as it takes, and could never be read if it were larger than the budget. */
    @Test
    void oneLargerThanTheRoomPassesBesideTheOthers() {
        HalfPacket huge = entered(256 << 20);
        HalfPacket nextHuge = entered(ROOM / 4 + 1);
        HalfPacket usual = entered(ROOM / 4);
        assertThat(admitted).containsExactly(huge, usual);

        room.leave(huge);
        assertThat(admitted).endsWith(nextHuge);
    }

    /** A slow store gets no more than it can take. */
    @Test
    void whatIsBeingStoredTakesUpRoom() {
        room.stores(ROOM * 3 / 4);
        HalfPacket small = entered(ROOM / 8);
        HalfPacket next = entered(ROOM / 8);
        assertThat(admitted).containsExactly(small);
        assertThat(room.enter(packet(ROOM / 8, true)))
                .as("a CONNECT has its own part of the room")
                .isTrue();

        room.stores(ROOM);
        HalfPacket huge = entered(ROOM);
        room.stores(-ROOM);
        assertThat(admitted).containsExactly(small, huge);
        room.stores(-ROOM * 3 / 4);
        assertThat(admitted).containsExactly(small, huge, next);
        assertThat(room.storingBytes()).isZero();
    }

    @Test
    void connectPacketsTakeNoRoomFromOthers() {
        HalfPacket connect = packet(ROOM / 8, true);
        HalfPacket nextConnect = packet(5000, true);
        assertThat(room.enter(connect)).isTrue();
        assertThat(room.enter(nextConnect)).isFalse();
        assertThat(room.enter(packet(ROOM / 4, false))).isTrue();
        assertThat(room.takes(ROOM / 8, true)).isTrue();
        assertThat(room.takes(ROOM / 8 + 1, true)).isFalse();
        assertThat(room.takes(Integer.MAX_VALUE, false)).isTrue();
    }

    /**
     * In all cases the limits hold, all packets are admitted in the end in the order of their lines, and nothing is
     * left.
     */
    @Property(tries = 200)
    void nobodyWaitsForEver(@ForAll long seed) {
        Random random = new Random(seed);
        HalfReceived shared = new HalfReceived(ROOM);
        List<HalfPacket> entered = new ArrayList<>();
        List<HalfPacket> present = new ArrayList<>();
        List<HalfPacket> served = new ArrayList<>();
        HalfPacket.Owner owner = packet -> {
            present.add(packet);
            served.add(packet);
        };
        for (int i = 0; i < 300 || !present.isEmpty(); i++) {
            if (i < 300 && random.nextInt(3) > 0) {
                HalfPacket packet = new HalfPacket(owner, 4097 + random.nextInt(ROOM / 2), false);
                entered.add(packet);
                if (shared.enter(packet)) {
                    owner.onRoom(packet);
                }
            } else if (!present.isEmpty()) {
                shared.leave(present.remove(random.nextInt(present.size())));
            }
            List<HalfPacket> usual = usual(present);
            assertThat(usual.stream().mapToLong(HalfPacket::frameBytes).sum()).isLessThanOrEqualTo(ROOM - ROOM / 8);
            assertThat(present.size() - usual.size()).isLessThanOrEqualTo(1);
        }
        assertThat(served).containsExactlyInAnyOrderElementsOf(entered);
        assertThat(usual(served)).isEqualTo(usual(entered));
        assertThat(shared.announcedBytes()).isZero();
        assertThat(shared.waiting()).isZero();
    }

    private static List<HalfPacket> usual(List<HalfPacket> packets) {
        return packets.stream()
                .filter(packet -> packet.frameBytes() <= ROOM / 4)
                .toList();
    }
}
