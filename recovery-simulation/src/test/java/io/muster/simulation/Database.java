package io.muster.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.transaction.SavepointManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A service's database, as far as transactions go: what was written is taken back when the transaction fails; events
 * leave with the commit. The process can be killed right after any commit.
 */
public final class Database extends AbstractPlatformTransactionManager {

    private static final long serialVersionUID = 1;

    private final transient Object handle = new Handle();
    private final transient TransactionTemplate template = new TransactionTemplate(this);
    private final transient List<Runnable> undo = new ArrayList<>();
    private final transient List<Runnable> leaving = new ArrayList<>();
    private transient Runnable afterEachCommit = () -> {};
    private boolean open;
    private boolean killAfterCommit;

    public Database() {
        setNestedTransactionAllowed(true);
    }

    /** Looked at after every commit that wrote something. */
    public void afterEachCommit(Runnable look) {
        afterEachCommit = look;
    }

    public void killAfterNextCommit() {
        killAfterCommit = true;
    }

    /** It is not killed after all. */
    public void spare() {
        killAfterCommit = false;
    }

    public <T> T write(Supplier<T> work) {
        return template.execute(status -> work.get());
    }

    public void writing(Runnable work) {
        template.executeWithoutResult(status -> work.run());
    }

    /** How the write just made is taken back. */
    public void undo(Runnable action) {
        if (!open) {
            throw new IllegalStateException("a write outside of a transaction");
        }
        undo.add(action);
    }

    /** Durable with the commit, and only then. */
    public void withCommit(Runnable action) {
        if (!open) {
            throw new IllegalStateException("an event outside of a transaction");
        }
        leaving.add(action);
    }

    private final class Handle implements SavepointManager {
        @Override
        public Object createSavepoint() {
            return undo.size();
        }

        @Override
        public void rollbackToSavepoint(Object savepoint) {
            for (int i = undo.size() - 1; i >= (int) savepoint; i--) {
                undo.remove(i).run();
            }
        }

        @Override
        public void releaseSavepoint(Object savepoint) {
            // what was written since belongs to the transaction
        }
    }

    @Override
    protected Object doGetTransaction() {
        return handle;
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
        return open;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        open = true;
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        boolean wrote = !undo.isEmpty();
        open = false;
        undo.clear();
        List<Runnable> told = List.copyOf(leaving);
        leaving.clear();
        told.forEach(Runnable::run);
        if (wrote) {
            afterEachCommit.run();
            if (killAfterCommit) {
                killAfterCommit = false;
                throw new Life.Crash();
            }
        }
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        open = false;
        leaving.clear();
        for (int i = undo.size() - 1; i >= 0; i--) {
            undo.get(i).run();
        }
        undo.clear();
    }

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {
        // the exception that asks for it reaches the outermost transaction and rolls it back
    }
}
