package io.godwit.mqtt.transport.packing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoopPackingTest {
    /** The load of each loop by itself: how busy its thread would be. */
    private final double[] work = new double[8];

    @Test
    void idleLoopsEndUpOnOneThreadOneByOne() {
        LoopPacking packing = new LoopPacking(4);
        List<LoopPacking.Move> moves = look(packing, 4, 15);
        assertThat(moves).hasSize(3).allMatch(move -> move.host() == 0);
        assertThat(packing.isGuest(0)).isFalse();
    }

    @Test
    void nothingMovesBeforeItHasBeenQuietForHalfASecond() {
        LoopPacking packing = new LoopPacking(2);
        assertThat(look(packing, 2, 4)).isEmpty();
        work[0] = 0.6;
        work[1] = 0.6;
        assertThat(look(packing, 2, 20)).isEmpty();
        work[0] = 0;
        work[1] = 0;
        assertThat(look(packing, 2, 4)).isEmpty();
        assertThat(look(packing, 2, 1)).containsExactly(new LoopPacking.Move(1, 0));
    }

    @Test
    void guestsGoHomeAtOnceWhenTheirThreadIsFullAndStayThereForAWhile() {
        LoopPacking packing = new LoopPacking(2);
        look(packing, 2, 5);
        assertThat(packing.isGuest(1)).isTrue();
        work[0] = 0.6;
        work[1] = 0.4;
        assertThat(look(packing, 2, 1)).containsExactly(new LoopPacking.Move(1, 1));
        work[0] = 0;
        work[1] = 0;
        assertThat(look(packing, 2, LoopPacking.HOLD_LOOKS)).isEmpty();
        assertThat(look(packing, 2, 10)).containsExactly(new LoopPacking.Move(1, 0));
    }

    @Test
    void aQuietFirstLoopTakesInBusierOnesForGood() {
        LoopPacking packing = new LoopPacking(3);
        work[0] = 0.05;
        work[1] = 0.2;
        work[2] = 0.1;
        assertThat(look(packing, 3, 30)).containsExactly(new LoopPacking.Move(2, 0), new LoopPacking.Move(1, 0));
        assertThat(look(packing, 3, 300)).isEmpty();
    }

    @Test
    void noThreadHasMoreGuestsThanItMay() {
        LoopPacking packing = new LoopPacking(20);
        int[] hosts = identity(20);
        double[] nothing = new double[20];
        for (int i = 0; i < 1_000; i++) {
            packing.decide(load(packing, hosts, nothing)).forEach(move -> hosts[move.loop()] = move.host());
        }
        int[] loops = new int[20];
        for (int host : hosts) {
            loops[host]++;
        }
        assertThat(Arrays.stream(loops)).allMatch(count -> count <= LoopPacking.MAX_GUESTS + 1);
        assertThat(Arrays.stream(loops).filter(count -> count > 0).count()).isLessThanOrEqualTo(4);
        assertThat(packing.decide(load(packing, hosts, nothing))).isEmpty();
    }

    @Test
    void aBusyThreadKeepsHalfOfItsGuests() {
        LoopPacking packing = new LoopPacking(5);
        look(packing, 5, 50);
        for (int i = 0; i < 5; i++) {
            work[i] = 0.2;
        }
        assertThat(look(packing, 5, 1)).hasSize(2);
        assertThat(look(packing, 5, 1)).isEmpty();
    }

    @Test
    void whateverTheLoadLoopsSettleAndNoThreadIsFull() {
        Random random = new Random(3);
        for (int run = 0; run < 300; run++) {
            int loops = 2 + random.nextInt(7);
            double[] busy = new double[loops];
            LoopPacking packing = new LoopPacking(loops);
            int[] hosts = identity(loops);
            for (int phase = 0; phase < 4; phase++) {
                for (int i = 0; i < loops; i++) {
                    busy[i] = random.nextDouble() * random.nextDouble();
                }
                int lastMove = 0;
                for (int i = 0; i < 600; i++) {
                    for (LoopPacking.Move move : packing.decide(load(packing, hosts, busy))) {
                        check(move, hosts);
                        hosts[move.loop()] = move.host();
                        lastMove = i;
                    }
                }
                assertThat(lastMove).as("settled, run %d phase %d", run, phase).isLessThan(400);
                double[] sums = sums(hosts, busy);
                for (int i = 0; i < loops; i++) {
                    assertThat(sums[i] > busy[i] && sums[i] > LoopPacking.FULL).isFalse();
                }
            }
        }
    }

    @Test
    void aLoopThatDoesNotArriveIsCalledHomeAndTriedAgainLater() {
        LoopPacking packing = new LoopPacking(3);
        LoopPacking.Load stuck = new Hosted(identity(3), new double[3]);
        List<LoopPacking.Move> first = decide(packing, stuck, LoopPacking.QUIET_LOOKS);
        assertThat(first).hasSize(1);
        int loop = first.get(0).loop();
        assertThat(decide(packing, stuck, LoopPacking.MAX_LOOKS_UNDER_WAY))
                .as("no second move begins while one is in progress")
                .isEmpty();
        assertThat(decide(packing, stuck, 1)).containsExactly(new LoopPacking.Move(loop, loop));
        assertThat(decide(packing, stuck, LoopPacking.REST_LOOKS)).isEmpty();
        assertThat(decide(packing, stuck, LoopPacking.QUIET_LOOKS)).isEqualTo(first);
    }

    /** It arrives after all, just as it is called home. */
    @Test
    void aLoopThatArrivesLateIsCalledHomeToo() {
        LoopPacking packing = new LoopPacking(2);
        LoopPacking.Load home = new Hosted(identity(2), new double[2]);
        LoopPacking.Load away = new Hosted(new int[] {0, 0}, new double[2]);
        decide(packing, home, LoopPacking.QUIET_LOOKS + LoopPacking.MAX_LOOKS_UNDER_WAY);
        assertThat(decide(packing, home, 1)).hasSize(1);
        assertThat(decide(packing, away, LoopPacking.MAX_LOOKS_UNDER_WAY)).isEmpty();
        assertThat(decide(packing, away, 1)).containsExactly(new LoopPacking.Move(1, 1));
    }

    private static List<LoopPacking.Move> decide(LoopPacking packing, LoopPacking.Load load, int times) {
        List<LoopPacking.Move> all = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            all.addAll(packing.decide(load));
        }
        return all;
    }

    private static void check(LoopPacking.Move move, int[] hosts) {
        assertThat(move.loop()).isNotZero();
        if (move.loop() != move.host()) {
            assertThat(hosts[move.loop()]).isEqualTo(move.loop());
            assertThat(hosts[move.host()])
                    .as("a thread that hosts loops is not a guest itself")
                    .isEqualTo(move.host());
            for (int other = 0; other < hosts.length; other++) {
                assertThat(other != move.loop() && hosts[other] == move.loop())
                        .as("a guest hosts no loops")
                        .isFalse();
            }
        }
    }

    private static int[] identity(int loops) {
        int[] hosts = new int[loops];
        for (int i = 0; i < loops; i++) {
            hosts[i] = i;
        }
        return hosts;
    }

    private static double[] sums(int[] hosts, double[] busy) {
        double[] sums = new double[hosts.length];
        for (int i = 0; i < hosts.length; i++) {
            sums[hosts[i]] += busy[i];
        }
        return sums;
    }

    /** The load of the threads when loops run as {@code hosts} says. */
    private static LoopPacking.Load load(LoopPacking packing, int[] hosts, double[] busy) {
        for (int i = 0; i < hosts.length; i++) {
            assertThat(packing.isGuest(i)).isEqualTo(hosts[i] != i);
        }
        double[] sums = sums(hosts, busy);
        return new Hosted(hosts, sums);
    }

    private static final class Hosted implements LoopPacking.Load {
        private final int[] hosts;
        private final double[] sums;

        private Hosted(int[] hosts, double[] sums) {
            this.hosts = hosts;
            this.sums = sums;
        }

        @Override
        public boolean isGuest(int loop) {
            return hosts[loop] != loop;
        }

        @Override
        public double busy(int loop) {
            assertThat(hosts[loop])
                    .as("the load is read only for a loop on its own thread")
                    .isEqualTo(loop);
            return Math.min(1, sums[loop]);
        }
    }

    /** Decisions for {@code loops} loops, of which only the first has guests. */
    private List<LoopPacking.Move> look(LoopPacking packing, int loops, int times) {
        List<LoopPacking.Move> all = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            int[] hosts = identity(loops);
            for (int loop = 0; loop < loops; loop++) {
                hosts[loop] = packing.isGuest(loop) ? 0 : loop;
            }
            all.addAll(packing.decide(load(packing, hosts, Arrays.copyOf(work, loops))));
        }
        return all;
    }
}
