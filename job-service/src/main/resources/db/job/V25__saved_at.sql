-- a restore goes back to the moment whose state was saved; the commit of it came later, maybe after the attempt had broken
alter table checkpoint_commit rename column committed_at to saved_at;
