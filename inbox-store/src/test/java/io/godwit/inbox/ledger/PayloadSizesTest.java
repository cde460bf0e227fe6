package io.godwit.inbox.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.report.Stock;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import org.junit.jupiter.api.Test;

/** The sizes of messages in a ledger, and the counts that the stock gets of them. */
class PayloadSizesTest {
    private final Ledger ledger = Ledger.withSizes(1);

    private void append(long sequence, boolean isLarge, int payloadBytes) {
        ledger.append(sequence, 1, isLarge, "a", false, payloadBytes);
    }

    private void finish(long sequence) {
        ledger.finish(ledger.find(sequence));
    }

    @Test
    void aFinishedMessageTakesItsSizeAlong() {
        append(1, false, 10);
        append(2, false, 20);
        finish(2);
        assertThat(ledger.liveBytes()).isEqualTo(10);
    }

    @Test
    void sizesStayWithTheirMessagesWhenTheLedgerGrows() {
        for (int sequence = 1; sequence <= 100; sequence++) {
            append(sequence, false, sequence);
        }
        finish(1);
        finish(77);
        assertThat(ledger.liveBytes()).isEqualTo(5050 - 1 - 77);
    }

    @Test
    void guessesAreRememberedUntilTheyAreSpread() {
        append(1, true, Ledger.UNKNOWN);
        append(2, true, 100);
        append(3, false, 7);
        ledger.guessUnknown(50);
        assertThat(ledger.liveBytes()).isEqualTo(157);
        assertThat(ledger.apartToRemember()).isEqualTo(150);
        ledger.spreadApart(61);
        assertThat(ledger.liveBytes()).isEqualTo(68);
        assertThat(ledger.apartToRemember()).isEqualTo(61);
    }

    @Test
    void knownSizesNeedNotBeRemembered() {
        append(1, true, 100);
        assertThat(ledger.apartToRemember()).isEqualTo(-1);
    }

    @Test
    void theStockHasTheMessagesWhileTheLedgerTakesPart() {
        Stock stock = new Stock();
        append(1, false, 10);
        ledger.joinStock(stock.new Part(), new InboxId(TenantId.DEFAULT, new ClientId("c")), false);
        append(2, false, 20);
        finish(1);
        assertThat(stock.messages()).isEqualTo(1);
        assertThat(stock.payloadBytes()).isEqualTo(20);
        ledger.leaveStock();
        assertThat(stock.messages()).isZero();
        assertThat(stock.payloadBytes()).isZero();
    }
}
